"""How a reader's function is called: what its arguments are, in which of the usual ways it works, and what is told."""
