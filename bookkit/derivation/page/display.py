r"""How a derivation is shown: as LaTeX, as text, and as a record that stays in the notebook's outputs.

The record holds what was shown, and under which claim. So the ledger of claims is read from the stored notebooks, and
nothing has to be derived again to write it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy as sp

from bookkit.derivation.language.shown import Chain, Failure, Step
from bookkit.derivation.language.universal import Universal
from bookkit.derivation.page.letters import domain, legibility
from bookkit.derivation.page.printer import Printer, latex

CLAIM = "application/vnd.posenc.claim+json"
LAYOUT = "application/vnd.posenc.derivation+json"
SIGNS = {"=": "=", "≤": r"\le", "<": "<", "≥": r"\ge", ">": ">"}
REFUTED = {"=": r"\ne", "≤": r"\nleq", "<": r"\nless", "≥": r"\ngeq", ">": r"\ngtr"}


def statement(chain: Chain) -> str:
    """What is shown, as one LaTeX formula without its hypotheses."""
    first, *rest = _in_latex(chain)
    return f"{first} {SIGNS[chain.sign]} {rest[-1]}"


def hypotheses(chain: Chain) -> list[str]:
    """The domain and each hypothesis, in LaTeX; empty where there are none."""
    letters = r",\; ".join(_letters(chain))
    return [letters] * bool(letters) + [*map(_hypothesis, chain.given)]


def _letters(chain: Chain) -> list[str]:
    """The letters, grouped by the set they range over."""
    return [tex for tex, _ in domain(_lines(chain))]


def _hypothesis(given: sp.Basic) -> str:
    if not isinstance(given, Universal):
        return latex(given)
    letters = r",\; ".join(tex for tex, _ in domain(_entries(given)))
    conditions = "".join(rf",\; {latex(c)}" for c in given.conditions)
    return rf"\text{{for all }} {letters}{conditions}\text{{: }} {latex(given.relation)}"


def under(conditions: list[str]) -> str:
    """The first lines of a display: the hypotheses, each on a line of its own, where there are any."""
    lines = r",\\ & \quad ".join(conditions)
    return rf"& \text{{For }} {lines}\text{{:}} \\[4pt] " if conditions else ""


def chain_in_latex(chain: Chain) -> str:
    # The reason stands under its line, not beside it: so a long line does not push it out of a phone's view.
    first, *rest = _in_latex(chain)
    rows = [rf"& {_first(first)}"]
    for step, line in zip(chain.steps, rest, strict=True):
        used = "".join(rf" \\ & \quad {{\small {latex(rule)}}}" for rule in _used(chain, step))
        rows.append(rf"& {SIGNS[step.sign]} {line} \\ & \quad {{\small \text{{{reason(step)}}}}}{used}")
    body = r" \\[4pt] ".join(rows)
    return rf"$$\begin{{aligned}} {under(hypotheses(chain))}{body} \quad \blacksquare \end{{aligned}}$$"


def chain_in_text(chain: Chain) -> str:
    conditions = [text for _, text in domain(_lines(chain))] + [*map(_hypothesis_in_text, chain.given)]
    head = ["For " + "; ".join(conditions)] if conditions else []
    rows = [f"  {s.sign} {s.rhs}  [{'; '.join([s.because, *map(str, _used(chain, s))])}]" for s in chain.steps]
    return "\n".join([*head, f"  {chain.lhs}", *rows, "  ∎"])


def _hypothesis_in_text(given: sp.Basic) -> str:
    if not isinstance(given, Universal):
        return str(given)
    conditions = [text for _, text in domain(_entries(given))] + [*map(str, given.conditions)]
    return f"for all {'; '.join(conditions)}: {given.relation}"


def records(chain: Chain) -> dict[str, dict]:
    """What the notebook keeps of a derivation besides what it shows; nothing for one without a step."""
    if not chain.steps:
        return {}
    kept = {LAYOUT: layout(chain)}
    if chain.claim is not None:
        said = {"statement": statement(chain), "hypotheses": hypotheses(chain)}
        kept[CLAIM] = {"claim": chain.claim, **said, "steps": len(chain.steps)}
    return kept


def layout(chain: Chain) -> dict:
    """The chain in parts, so that a page with room can set each reason beside its line."""
    first, *rest = _in_latex(chain)
    lines = [
        {"sign": SIGNS[step.sign], "tex": tex, "because": reason(step), "by": [*map(latex, _used(chain, step))]}
        for step, tex in zip(chain.steps, rest, strict=True)
    ]
    return {"domain": [*_letters(chain), *map(_hypothesis, chain.given)], "first": first, "lines": lines}


def failure_layout(failure: Failure) -> dict:
    """The chain down to the line that is refuted, the point, and what both lines of that step are there."""
    left, right = map(_number, failure.values)
    values = f"{_first(left)} {REFUTED[failure.chain.steps[-1].sign]} {right}"
    return {**layout(failure.chain), "at": _point(failure.point), "values": values}


def reason(step: Step) -> str:
    """With a minus and an apostrophe as they are printed, where it does not stand between dollars.

    >>> from bookkit.derivation.language.shown import Step
    >>> reason(Step("=", sp.S(0), "Euler's $n - 1$ is n - 1, by-the-way", (), None))
    'Euler’s $n - 1$ is n − 1, by-the-way'
    """
    parts = step.because.split("$")
    parts[::2] = [re.sub(r"(?<!\w)-", "−", part).replace("'", "’") for part in parts[::2]]
    return "$".join(parts)


def refutation_in_latex(
    sides: tuple[sp.Basic, sp.Basic], point: Mapping[sp.Basic, sp.Basic], values: tuple[sp.Basic, sp.Basic]
) -> str:
    """The two sides that are not equal, the point at which they differ, and their values there."""
    where = r",\; ".join(_point(point))
    (left, right), (lhs, rhs) = map(_number, values), map(latex, sides)
    return (
        rf"$$\begin{{aligned}} & {_first(lhs)} \ne {rhs} \\[4pt] "
        rf"& \text{{at }} {where}\text{{:}} \\ & {_first(left)} \ne {right} \end{{aligned}}$$"
    )


def _point(point: Mapping[sp.Basic, sp.Basic]) -> list[str]:
    return [f"{latex(letter)} = {latex(value)}" for letter, value in point.items()]


def _in_latex(chain: Chain) -> list[str]:
    """All lines, the first one too; one printer for all, as the order of the terms goes on from line to line."""
    printer = Printer()
    orders = [(chain.lhs, chain.order), *((s.rhs, s.order) for s in chain.steps)]
    return [printer.line(line, order) for line, order in orders]


def _used(chain: Chain, step: Step) -> list[sp.Basic]:
    """What a step uses, as relations; not one that says the step itself over again."""
    before = chain.lines[chain.steps.index(step)]
    return [rule.relation for rule in step.by if {*rule.relation.args} != {before, step.rhs}]


def _lines(chain: Chain) -> list[sp.Basic]:
    return [*chain.lines, *chain.given]


def _entries(given: Universal) -> list[sp.Basic]:
    """The letters over which a universal hypothesis runs, as formulas; of a sequence, an entry."""
    entries = sorted(given.relation.atoms(sp.Indexed), key=legibility)
    first = {entry.base: entry for entry in reversed(entries)}
    return [letter if letter.is_Symbol else first.get(letter, letter[0]) for letter in given.letters]


def _number(value: sp.Basic) -> str:
    """7 in place of 7.0."""
    whole = {f: sp.Integer(int(f)) for f in value.atoms(sp.Float) if float(f).is_integer()}
    return latex(value.xreplace(whole))


def _first(tex: str) -> str:
    """A minus at the start of a line is a sign; after the mark of alignment, TeX would take it for a difference."""
    return f"{{{tex}}}" if tex.startswith("-") else tex
