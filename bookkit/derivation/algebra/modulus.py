"""The modulus of a number, where sympy writes it in another way."""

from __future__ import annotations

import sympy as sp


def with_moduli(expr: sp.Expr) -> sp.Expr:
    """√(z z̄) as |z|: sympy writes the modulus of some sums so."""

    def modulus(root: sp.Pow) -> sp.Expr:
        factors = sp.Mul.make_args(root.base)
        if len(factors) == 2 and sp.conjugate(factors[0]) == factors[1]:
            return sp.Abs(factors[0], evaluate=False)
        return root

    return expr.replace(lambda e: isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2), modulus)
