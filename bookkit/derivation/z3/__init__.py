"""Questions of order, put to the solver z3 in its own words, and to intervals of certified numbers."""
