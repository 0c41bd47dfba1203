"""A picture's formulas, for Python and for the browser: both are printed by sympy from one expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import sympy as sp
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.pycode import PythonCodePrinter


class JavaScript(JavascriptCodePrinter):
    """sympy's printer, with tables as nested arrays and sums as loops, which it leaves out."""

    def _print_Indexed(self, expr: sp.Indexed) -> str:
        return str(expr.base) + "".join(f"[{self._print(index)}]" for index in expr.indices)

    def _print_Sum(self, expr: sp.Sum) -> str:
        inside = self._print(expr.function)
        for index, first, last in expr.limits:
            inside = f"sum({self._print(first)}, {self._print(last)}, ({index}) => {inside})"
        return inside

    def _print_NaN(self, expr: sp.Basic) -> str:
        return "NaN"


class Python(PythonCodePrinter):
    """sympy's printer, with a sum in a sum as such: sympy 1.13 runs the inner index in the outer loop."""

    def _print_Sum(self, expr: sp.Sum) -> str:
        inside = self._print(expr.function)
        for index, first, last in expr.limits:
            inside = f"sum({inside} for {index} in range({self._print(first)}, {self._print(last)} + 1))"
        return inside


def javascript(formula: sp.Expr) -> str:
    """An expression of JavaScript, in one line.

    >>> i = sp.Symbol("i", integer=True)
    >>> theta = sp.IndexedBase("theta")
    >>> javascript(sp.Sum(sp.cos(theta[i]), (i, 0, 3)))
    'sum(0, 3, (i) => Math.cos(theta[i]))'
    """
    return " ".join(JavaScript().doprint(formula).split())


@lru_cache(maxsize=4096)
def python(formula: sp.Expr, names: Sequence[sp.Basic]) -> Callable[..., float]:
    """A function of the names, in their order; of plain numbers, so that a branch not taken is not computed.

    >>> m, n, end = sp.symbols("m n end", integer=True)
    >>> python(sp.Sum(m * n, (n, 0, m), (m, 0, end)), (end,))(3)
    25
    """
    printer = Python({"fully_qualified_modules": False, "allow_unknown_functions": True})
    return sp.lambdify(names, formula, modules=[{"nan": float("nan")}, "math"], printer=printer)
