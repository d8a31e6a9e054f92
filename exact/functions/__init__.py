"""A reader's NumPy function: run in a child process on exact numbers, compared with what is right, and diagnosed."""
