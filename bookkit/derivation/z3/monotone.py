"""Functions that grow (e^x, log x) and powers of a positive base, as facts for the solver: e^a < e^b where a < b.

Each fact says where it holds: at points where a term has no value nothing is known of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

INCREASING = {sp.exp: (0, 1), sp.log: (1, 0), sp.tanh: (0, 0)}  # each with a value


class Applied(NamedTuple):
    """A value of a function or of a power, met in the formula; the numbers are z3's."""

    function: type
    arguments: tuple[Any, ...]
    value: Any


def facts_of_function(z3: Any, met: Applied, earlier: list[Applied]) -> list:
    """What is known of f(a) beside the values of f met earlier."""
    (a,) = met.arguments
    facts = [met.value > 0] if met.function is sp.exp else []
    for b, value in [INCREASING[met.function], *((*e.arguments, e.value) for e in earlier)]:
        order = _same_sign(z3, a - b, met.value - value)
        facts.append(z3.Implies(z3.And(a > 0, b > 0), order) if met.function is sp.log else order)
    return facts


def facts_of_power(z3: Any, met: Applied, earlier: list[Applied]) -> list:
    """What is known of b^p, beside the powers met earlier."""
    b, p = met.arguments
    facts = [
        z3.Implies(b > 0, z3.And(met.value > 0, _same_sign(z3, p * (b - 1), met.value - 1))),
        z3.Implies(z3.And(b == 0, p > 0), met.value == 0),
    ]
    for other in earlier:
        c, q = other.arguments
        gap = met.value - other.value
        facts += [
            z3.Implies(z3.And(b > 0, b == c), _same_sign(z3, (b - 1) * (p - q), gap)),
            z3.Implies(z3.And(b > 0, c > 0, p == q), _same_sign(z3, p * (b - c), gap)),
            z3.Implies(z3.And(b >= 0, c >= 0, p == q, p > 0), _same_sign(z3, b - c, gap)),
        ]
    return facts


def _same_sign(z3: Any, a: Any, b: Any) -> Any:
    return z3.And((a > 0) == (b > 0), (a == 0) == (b == 0))
