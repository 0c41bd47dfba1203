"""Numbers out of a reader's function: matrices, pairs, angles, frequencies, roundings. Nothing is judged here."""
