"""Numbers: everything here is counted, checked or computed exactly.  Imports neither symbolic nor notes."""
