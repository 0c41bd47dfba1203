"""Is it shown? Equalities and inequalities of formulas, sums, products and matrices."""
