r"""Known inequalities, to be used in a step by name: `by=EXPONENTIAL.at(x)`.

Each says where it holds, and a step that uses it at values for which that is not shown is refused. All are proved
by the engine itself in `tests/bookkit/derivation/test_lemmas.py`. Sums run from m to n; a sequence is given as
such, or as a `sp.Lambda` of its index.

>>> from bookkit.derivation import Derivation
>>> x = sp.Symbol("x", real=True)
>>> Derivation(1 + x**2).step(sp.exp(x**2), because="eˣ ≥ 1 + x, at x²", sign="≤", by=EXPONENTIAL.at(x**2))
For x: real
  x**2 + 1
  ≤ exp(x**2)  [eˣ ≥ 1 + x, at x²]
  ∎
"""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.language.universal import lemma

_x = sp.Symbol("x", real=True)
_p = sp.Symbol("p", positive=True)
_u, _v = sp.symbols("u v", nonnegative=True)
_i, _m, _n = sp.symbols("i m n", integer=True)
_a, _b = (sp.IndexedBase(name, real=True) for name in "ab")
_w = sp.IndexedBase("w", nonnegative=True)
_z = sp.IndexedBase("z", complex=True)


def _total(term: sp.Expr) -> sp.Sum:
    return sp.Sum(term, (_i, _m, _n))


EXPONENTIAL = lemma("eˣ ≥ 1 + x", (_x,), sp.exp(_x) >= 1 + _x)
LOGARITHM = lemma("log(1 + x) ≤ x", (_x,), sp.log(1 + _x) <= _x, given=(_x > -1,))
SINE = lemma("|sin x| ≤ |x|", (_x,), sp.Abs(sp.sin(_x)) <= sp.Abs(_x))
SINE_BELOW = lemma("sin x < x", (_p,), sp.sin(_p) < _p)
COSINE = lemma("1 - cos x ≤ x²/2", (_x,), 1 - sp.cos(_x) <= _x**2 / 2)
MEANS = lemma("the geometric mean is at most the arithmetic one", (_u, _v), sp.sqrt(_u * _v) <= (_u + _v) / 2)
CAUCHY_SCHWARZ = lemma(
    "Cauchy-Schwarz",
    (_a, _b, _m, _n),
    _total(_a[_i] * _b[_i]) ** 2 <= _total(_a[_i] ** 2) * _total(_b[_i] ** 2),
)
TRIANGLE = lemma("triangle inequality", (_z, _m, _n), sp.Abs(_total(_z[_i])) <= _total(sp.Abs(_z[_i])))
JENSEN = lemma(
    "Jensen, for the exponential",
    (_w, _a, _m, _n),
    sp.exp(_total(_w[_i] * _a[_i])) <= _total(_w[_i] * sp.exp(_a[_i])),
    given=(sp.Eq(_total(_w[_i]), 1),),
)
