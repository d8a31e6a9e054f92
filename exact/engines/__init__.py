"""How a block of the cube is visited.

An engine is a module with two functions.  Both take the integer query of a block and an offset, visit every sign vector
k of the block, and see the score e = offset + Σ_r q_r k_r of each:

    power_sums(q, offset) -> (Σ e, Σ e²)
    histogram(q, offset)  -> {e: how many vectors}

Engines know nothing of fractions, of the kernel, or of the other engines.
"""
