"""Formulas: written, decided and derived.  May import exact, never notes; nothing is imported until it is asked for."""
