"""The sets over which letters range, as the reader is told."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.language.admitted import KINDS, kind_of
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.notation import assumptions_of, free_letters
from bookkit.derivation.language.universal import Universal
from bookkit.derivation.page.printer import latex


def _set_of(letter: sp.Basic, name: str) -> tuple[str, str]:
    """The set that says neither more nor less than what is assumed of the letter."""
    kind = kind_of(letter)
    if kind is None:
        raise AuthorError(f"what is assumed of {name} cannot be shown to the reader: assume one of {'; '.join(KINDS)}")
    return KINDS[kind][1], kind


def domain(exprs: Iterable[sp.Basic]) -> list[tuple[str, str]]:
    """The letters of the formulas, grouped by the set they range over: pairs of LaTeX and plain text.

    Of a sequence and a function, the set holds its values.

    >>> x, f = sp.Symbol("x", real=True), sp.Function("f", positive=True)
    >>> domain([f(x) + x])
    [('x \\\\in \\\\mathbb{R}', 'x: real'), ('f(\\\\cdot) > 0', 'f(·): positive')]
    """
    exprs = tuple(exprs)
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for letter in sorted(set().union(*map(free_letters, exprs)), key=lambda s: (len(str(s)), str(s))):
        if letter.is_Matrix:
            rows, columns = letter.shape
            key = rf"\in \mathbb{{R}}^{{{latex(rows)} \times {latex(columns)}}}", f"{rows} x {columns} matrix"
        else:
            key = _set_of(letter, str(letter))
        groups.setdefault(key, []).append((latex(letter), str(letter)))
    for (tex, text), entry in sorted(_heads(exprs).items()):
        if assumptions_of(entry).keys() - {"commutative"}:
            groups.setdefault(_set_of(entry, text), []).append((tex, text))
    return [
        (", ".join(name for name, _ in group) + " " + tex, ", ".join(name for _, name in group) + ": " + text)
        for (tex, text), group in groups.items()
    ]


def _entries(expr: sp.Basic) -> set[sp.Basic]:
    """Each h[i] and f(x), but not of a sequence over which the formula runs itself."""
    bound = expr.letters if isinstance(expr, Universal) else ()
    return {e for e in expr.atoms(sp.Indexed, AppliedUndef) if not (isinstance(e, sp.Indexed) and e.base in bound)}


def _heads(exprs: Iterable[sp.Basic]) -> dict[tuple[str, str], sp.Basic]:
    """The sequences and functions of the formulas, as LaTeX and text with a dot for each argument, and one entry.

    A sequence is shown by an entry of the formula, wᵢ, if it has one whose indices are letters.
    """
    found = {}
    for entry in sorted(set().union(*map(_entries, exprs)), key=legibility):
        sequence = isinstance(entry, sp.Indexed)
        name = entry.base.label if sequence else sp.Symbol(entry.func.__name__)
        number = len(entry.indices if sequence else entry.args)
        tex, text = ",".join([r"\cdot"] * number), ", ".join("·" * number)
        dots = rf"_{{({tex})}}" if sequence else f"({tex})"
        shown = latex(name) + dots if legibility(entry)[0] else latex(entry)
        found.setdefault(f"{name}[{text}]" if sequence else f"{name}({text})", (shown, entry))
    return {(tex, text): entry for text, (tex, entry) in found.items()}


def legibility(entry: sp.Basic) -> tuple[bool, str]:
    """Orders entries by how well they stand for a whole sequence: wᵢ before w_N, and that before w₀."""
    indices = entry.indices if isinstance(entry, sp.Indexed) else ()
    letters = bool(indices) and len({i for i in indices if i.is_Symbol}) == len(indices)
    return not letters, str(entry).swapcase()
