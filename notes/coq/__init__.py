"""The proofs for every width, and the statements they are held to."""
