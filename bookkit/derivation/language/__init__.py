"""What is read: formulas and their names, hypotheses, and what all other rooms say of them."""
