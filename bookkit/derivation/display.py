r"""How a derivation is shown: as LaTeX, as text, and as a record that stays in the notebook's outputs.

The record holds what the ledger of claims says about a derivation. So the ledger is read from the stored notebooks,
and nothing has to be derived again to write it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from bookkit.derivation.notation import domain, latex

if TYPE_CHECKING:
    from bookkit.derivation.chain import Derivation, Refutation

CLAIM = "application/vnd.posenc.claim+json"
SIGNS = {"=": "=", "≤": r"\le", "<": "<", "≥": r"\ge", ">": ">"}


def statement(derivation: Derivation) -> str:
    """What is shown, as one LaTeX formula without its hypotheses."""
    return f"{latex(derivation.lhs)} {SIGNS[derivation.sign]} {latex(derivation.steps[-1].rhs)}"


def hypotheses(derivation: Derivation) -> str:
    """The domain, and each hypothesis on a line of its own, in LaTeX; empty where there are none."""
    letters = r",\; ".join(tex for tex, _ in domain(_lines(derivation)))
    return r",\\ & \quad ".join([letters] * bool(letters) + [latex(g) for g in derivation.given])


def under(conditions: str) -> str:
    """The first line of a display: the hypotheses, where there are any."""
    return rf"& \text{{For }} {conditions}\text{{:}} \\[4pt] " if conditions else ""


def chain_in_latex(derivation: Derivation) -> str:
    # The reason stands under its line, not beside it: so a long line does not push it out of a phone's view.
    rows = [rf"& {SIGNS[s.sign]} {latex(s.rhs)} \\ & \quad {{\small \text{{{s.because}}}}}" for s in derivation.steps]
    body = r" \\[4pt] ".join([rf"& {_first(latex(derivation.lhs))}", *rows])
    return rf"$$\begin{{aligned}} {under(hypotheses(derivation))}{body} \quad \blacksquare \end{{aligned}}$$"


def chain_in_text(derivation: Derivation) -> str:
    conditions = [text for _, text in domain(_lines(derivation))] + [str(g) for g in derivation.given]
    head = ["For " + "; ".join(conditions)] if conditions else []
    rows = [f"  {s.sign} {s.rhs}  [{s.because}]" for s in derivation.steps]
    return "\n".join([*head, f"  {derivation.lhs}", *rows, "  ∎"])


def record(derivation: Derivation) -> dict[str, dict]:
    """What the notebook keeps of a derivation besides what it shows; nothing for one without a claim or a step."""
    if derivation.claim is None or not derivation.steps:
        return {}
    said = {"statement": statement(derivation), "hypotheses": hypotheses(derivation)}
    return {CLAIM: {"claim": derivation.claim, **said, "steps": len(derivation.steps)}}


def refutation_in_latex(refutation: Refutation, left: sp.Basic, right: sp.Basic) -> str:
    where = r",\; ".join(f"{latex(s)} = {latex(v)}" for s, v in refutation.point.items())
    return (
        rf"$$\begin{{aligned}} & {_first(latex(refutation.lhs))} \ne {latex(refutation.rhs)} \\[4pt] "
        rf"& \text{{at }} {where}\text{{:}} \\ & {_first(_number(left))} \ne {_number(right)} \end{{aligned}}$$"
    )


def _lines(derivation: Derivation) -> list[sp.Basic]:
    return [derivation.lhs, *(s.rhs for s in derivation.steps), *derivation.given]


def _number(value: sp.Basic) -> str:
    """7 in place of 7.0."""
    whole = {f: sp.Integer(int(f)) for f in value.atoms(sp.Float) if float(f).is_integer()}
    return latex(value.xreplace(whole))


def _first(tex: str) -> str:
    """A minus at the start of a line is a sign; after the mark of alignment, TeX would take it for a difference."""
    return f"{{{tex}}}" if tex.startswith("-") else tex
