"""What people read: the derivation, its words, the report and the command."""
