"""Reading formulas: from text in LaTeX, Python or plain mathematics to a tree that means nothing yet."""
