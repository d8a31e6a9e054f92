"""Claims about rows of weights: what the letters mean, whether it is true, and why not."""
