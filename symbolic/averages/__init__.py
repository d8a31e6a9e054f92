"""Claims about averages, probabilities and finite sums: read, decided for every width, and explained."""
