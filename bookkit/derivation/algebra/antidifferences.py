"""Sums and products of open length, each written by what happens at its two ends.

Σ f(i) from a to b is F(b + 1) - F(a), where all that is known of F is F(k + 1) = F(k) + f(k). So sums over parts of a
range, shifted and reversed sums and sums whose lengths differ by a few terms fall together by themselves. A product
of factors without a zero is a quotient Q(b + 1) / Q(a) in the same way; of other factors only single ones are split
off at the ends. All of it holds for ranges that run upwards, empty ones included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import UndefinedFunction

from bookkit.derivation.algebra.open_products import merged, runs_upwards
from bookkit.derivation.algebra.summands import (
    LETTER,
    cases,
    letters_around,
    linear,
    moved,
    nested,
    shifts,
    written_out,
)
from bookkit.derivation.language.kinds import is_real, is_whole
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, POSITIVE, REAL, sign_of

_OPAQUE = (sp.Derivative, sp.Integral, sp.Subs, sp.Lambda)
Expand = Callable[[sp.Expr], sp.Expr]


def flatten(exprs: Sequence[sp.Expr], expand: Expand = sp.expand) -> list[sp.Expr]:
    """The formulas with formal functions instead of sums and products. What is zero then, was zero before.

    >>> i, N = sp.symbols("i N", integer=True, positive=True)
    >>> h = sp.IndexedBase("h")
    >>> flatten([sp.Sum(h[i], (i, 1, N + 1)) - sp.Sum(h[i + 1], (i, 0, N - 1))])
    [h[N + 1]]
    """
    if any(o.has(ExprWithIntLimits) or o.free_symbols & _bound(e) for e in exprs for o in e.atoms(*_OPAQUE)):
        return exprs
    together = sp.Tuple(*(nested(e, 0) for e in exprs))
    ends = _Ends(expand)
    while innermost := [t for t in together.atoms(ExprWithIntLimits) if not t.function.has(ExprWithIntLimits)]:
        together = ends.settle(together.xreplace({t: ends.between(t) for t in sorted(innermost, key=_generality)}))
    return [*together]


def _bound(expr: sp.Expr) -> set[sp.Symbol]:
    return {letter for total in expr.atoms(ExprWithIntLimits) for letter in total.variables}


class _Ends:
    """The formal functions met so far, each with its summand, as a function of k and of the letters around it."""

    def __init__(self, expand: Expand) -> None:
        self.expand = expand
        self.sums: dict[UndefinedFunction, sp.Expr] = {}
        self.quotients: dict[UndefinedFunction, sp.Expr] = {}
        self.products: dict[UndefinedFunction, sp.Expr] = {}  # of factors that may be zero: P(a, b + 1)
        self.written: set[sp.Expr] = set()  # products of the formula itself, whose ranges run upwards
        self.unknown: dict[UndefinedFunction, sp.Expr] = {}  # of factors that may have no value: nothing is known
        self.starts: dict[UndefinedFunction, sp.Expr] = {}  # where F is set to 0 and Q to 1

    def between(self, total: ExprWithIntLimits) -> sp.Expr:
        (letter, lower, upper), *others = total.limits  # sympy writes a sum of sums as one with many limits
        function = total.function.xreplace({letter: LETTER})
        inner = (self._sum if isinstance(total, sp.Sum) else self._product)(function, lower, upper + 1)
        return total.func(inner, *others) if others else inner

    def _sum(self, summand: sp.Expr, start: sp.Expr, end: sp.Expr) -> sp.Expr:
        total = sp.S.Zero
        for term in sp.Add.make_args(self.expand(summand)):
            coefficient, part = term.as_independent(LETTER, as_Add=False)
            power = sp.Poly(part, LETTER).degree() if part.is_polynomial(LETTER) else None
            if power is not None and part == LETTER**power:
                at = [sp.bernoulli(power + 1, e) / (power + 1) for e in (end, start)]
            else:
                at = self._at(self.sums, part, end, start)
            total += coefficient * (at[0] - at[1])
        return total

    def _product(self, function: sp.Expr, start: sp.Expr, end: sp.Expr) -> sp.Expr:
        total = sp.S.One
        for factor in sp.Mul.make_args(sp.factor(function)):
            base, exponent = factor.as_base_exp()
            if not factor.has(LETTER):
                total *= factor ** (end - start)
            elif not base.has(LETTER):
                total *= base ** sp.Sum(exponent, (LETTER, start, end - 1))
            elif sign_of(base) == POSITIVE and not exponent.has(LETTER):
                total *= sp.exp(exponent * sp.Sum(sp.expand_log(sp.log(base)), (LETTER, start, end - 1)))
            elif exponent.is_Integer and sign_of(base) <= NOT_ZERO & REAL:
                upper, lower = self._at(self.quotients, base, end, start)
                total *= (upper / lower) ** exponent
            else:
                known = self.products if sign_of(exponent) <= NOT_NEGATIVE else self.unknown
                whole = self._name(known, factor)(start, end, *letters_around(factor))
                self.written |= {whole} - {p for p in [whole] if letters_around(p)}
                total *= whole
        return total

    def _at(self, known: dict, part: sp.Expr, end: sp.Expr, start: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """The formal function at both ends; that of a summand met before, where it is its shift or its mirror image."""
        sign, shift, part = self._anchored(part)
        end, start = moved(end, start, sign, shift)
        for name, other in known.items():
            for sign, shift, around in (*shifts(part, other), *cases(part, other)):
                put = {LETTER: sign * LETTER + shift, **dict(zip(letters_around(other), around, strict=True))}
                if self.expand(other.xreplace(put) - part) == 0:
                    end, start = moved(end, start, sign, shift)
                    return name(end, *around), name(start, *around)
        name = self._name(known, part)
        return name(end, *letters_around(part)), name(start, *letters_around(part))

    def _anchored(self, part: sp.Expr) -> tuple[int, sp.Expr, sp.Expr]:
        """`part` at ±k + shift so that its first index is a multiple of k: f(n - k) is f(k) at n - k."""
        for slope, offset in linear(part)[:1]:
            shift = sp.expand(offset / slope)
            sign = -1 if slope.could_extract_minus_sign() else 1
            if is_whole(shift):
                return sign, sign * shift, self.expand(part.xreplace({LETTER: sign * LETTER - shift}))
        return 1, sp.S.Zero, part

    def _name(self, known: dict, part: sp.Expr) -> UndefinedFunction:
        found = next((name for name, other in known.items() if other == part), None)
        if found is None:
            number = sum(map(len, (self.sums, self.quotients, self.products, self.unknown)))
            found = sp.Function(f"Δ⁻¹{number}", real=True if is_real(part) else None,
                                nonzero=True if known is self.quotients else None)  # fmt: skip
            known[found] = part
        return found

    def settle(self, expr: sp.Basic) -> sp.Basic:
        """Ends that are a whole number apart, brought to one of them."""
        for _ in range(8):
            moves: dict[sp.Expr, sp.Expr] = {}
            for known, build, empty in ((self.sums, sp.Add, 0), (self.quotients, sp.Mul, 1)):
                for name, part in known.items():
                    moves |= self._settled(name, part, build, empty, expr.atoms(name))
            for name, part in self.products.items():
                atoms = expr.atoms(name)
                moves = merged(part, atoms, {a for a in atoms if a in self.written or runs_upwards(a, expr)}) | moves
            moves = {old: new for old, new in moves.items() if old != new}
            if not moves:
                break
            expr = expr.xreplace(moves)
        return expr

    def _settled(self, name, part, build, empty, atoms) -> dict[sp.Expr, sp.Expr]:
        """F(e + 3) as F(e) + f(e) + f(e + 1) + f(e + 2); where an end is a number, F is set to `empty` there."""
        numbers = [a.args[0] for a in atoms if a.args[0].is_Integer]
        if numbers:
            self.starts.setdefault(name, min(numbers))
        moves = {}
        for atom in atoms:
            end, *around = atom.args
            if end.is_Integer:
                origin, value = self.starts[name], sp.Integer(empty)
            else:
                near = [o for o in atoms if list(o.args[1:]) == around and sp.expand(end - o.args[0]).is_Integer]
                value = min(near, key=lambda o: sp.expand(o.args[0] - end))
                origin = value.args[0]
            length = sp.expand(end - origin)
            terms = written_out(part, around, min(origin, end) if length < 0 else origin, abs(length))
            if terms is not None:
                between = build(*terms)
                moves[atom] = build(value, between if length >= 0 else -between if build is sp.Add else 1 / between)
        return moves


def _generality(total: ExprWithIntLimits) -> tuple[int, str]:
    """Sums that depend on letters around them come first: others may be cases of them."""
    return -len(letters_around(total.function.xreplace({total.variables[0]: LETTER}))), str(total)
