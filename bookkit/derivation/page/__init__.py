"""How it is printed: as LaTeX, as text, and as a record in the notebook."""
