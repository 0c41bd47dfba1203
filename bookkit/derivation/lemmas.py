r"""Known inequalities, to be used in a step by name: `by=EXPONENTIAL.at(x)`.

Each says where it holds, and a step that uses it at values for which that is not shown is refused. All are proved
by the engine itself in `tests/bookkit/derivation/test_lemmas.py`.

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

EXPONENTIAL = lemma("eˣ ≥ 1 + x", (_x,), sp.exp(_x) >= 1 + _x)
LOGARITHM = lemma("log(1 + x) ≤ x", (_x,), sp.log(1 + _x) <= _x, given=(_x > -1,))
SINE = lemma("|sin x| ≤ |x|", (_x,), sp.Abs(sp.sin(_x)) <= sp.Abs(_x))
COSINE = lemma("1 - cos x ≤ x²/2", (_x,), 1 - sp.cos(_x) <= _x**2 / 2)
