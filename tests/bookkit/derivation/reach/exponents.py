"""Powers of positive numbers, with exponents that are letters."""

import sympy as sp
from sympy import Ne

from tests.bookkit.derivation.reach import Statement
from tests.bookkit.derivation.reach.integrals import equal

p, q, r, s = sp.symbols("p q r s", positive=True)
a, b = sp.symbols("a b", real=True)
d = sp.Symbol("d", even=True, positive=True)
i = sp.Symbol("i", integer=True, nonnegative=True)
whole = sp.Symbol("D", positive=True)

STATEMENTS: list[Statement] = [
    equal(
        "NTK's base at the lowest frequency",
        (p * q ** (d / (d - 2))) ** (-(d - 2) / d),
        p ** (-(d - 2) / d) / q,
        p ** (-(d - 2) / d) * q,
        d > 2,
    ),
    equal("NTK's factor", (q ** (whole / (whole - 2))) ** ((whole - 2) / whole), q, 1 / q, whole > 2),
    equal(
        "NTK at frequency i",
        (p * q ** (d / (d - 2))) ** (-2 * i / d),
        p ** (-2 * i / d) * q ** (-2 * i / (d - 2)),
        p ** (-2 * i / d) * q ** (-2 * i / d),
        d > 2,
    ),
    equal("a power of a product", (p * q) ** a, p**a * q**a, p**a * q),
    equal("a product of powers", p**a * p**b, p ** (a + b), p ** (a * b)),
    equal("a root of a quotient", (p / q) ** (1 / a), p ** (1 / a) / q ** (1 / a), p ** (1 / a) * q, Ne(a, 0)),
    equal("by logarithms", sp.exp(a * sp.log(p)), p**a, a**p),
    equal("a log of a power", sp.log(p**a * q), a * sp.log(p) + sp.log(q), a * sp.log(p) * sp.log(q)),
    equal("powers of two bases", p**a, sp.exp(a * sp.log(p / q)) * q**a, q**a),
    equal("the ratio of frequencies", p ** (-2 * (i + 1) / d) / p ** (-2 * i / d), p ** (-2 / d), p ** (2 / d)),
    equal("a mean of exponents", sp.sqrt(p**a * p**b), p ** ((a + b) / 2), p ** (a + b)),
]
