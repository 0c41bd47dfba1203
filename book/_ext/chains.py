"""A derivation on a page: one step a line, its reason beside it, or under it on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes


def set_chain(layout: dict) -> nodes.container:
    """As a mathematician would set it; one that is refuted ends with the wrong line, and both its sides at a point."""
    rows = [row("", layout["first"], [])]
    for line in layout["lines"]:
        reason = [*words(line["because"])]
        for rule in line["by"]:
            reason += [nodes.Text(": "), nodes.math(rule, rule)]
        rows.append(row(line["sign"], line["tex"], reason))
    rows[-1]["classes"].append("refuted" if "values" in layout else "last")
    if "values" in layout:
        rows.append(row("", layout["values"], [nodes.Text("at "), *listed(layout["at"])]))
        rows[-1]["classes"].append("refuted")
    conditions = [under(layout["domain"])] if layout["domain"] else []
    return nodes.container("", *conditions, *rows, classes=["chain"])


def under(domain: list[str]) -> nodes.paragraph:
    """The line that says for which letters and under which hypotheses the chain holds."""
    parts = [part for formula in domain for part in between_commas(formula)]
    return nodes.paragraph("", "For ", *listed(parts), nodes.Text(":"), classes=["domain"])


def listed(formulas: list[str]) -> list[nodes.Node]:
    each = [[nodes.Text(", "), nodes.math(tex, tex)] for tex in formulas]
    return [node for pair in each for node in pair][1:]


def between_commas(tex: str) -> list[str]:
    """The parts of a list of letters, so that it breaks at the end of a line; what is in brackets stays whole."""
    parts = [""]
    for piece in re.split(r", |,\\; ", tex):
        if all(parts[-1].count(a) == parts[-1].count(b) for a, b in ("()", "[]", "{}")):
            parts.append(piece)
        else:
            parts[-1] += f", {piece}"
    return parts[1:]


def row(sign: str, tex: str, reason: list[nodes.Node]) -> nodes.container:
    formula = rf"{sign}\; \displaystyle {tex}" if sign else rf"\displaystyle {tex}"
    line = nodes.container("", nodes.math(formula, formula), classes=["formula"])
    because = nodes.container("", *reason, classes=["because"])
    return nodes.container("", line, *([because] if reason else []), classes=["chain-line"])


def words(reason: str) -> Iterator[nodes.Node]:
    """A reason as text, with its formulas between dollars."""
    for place, part in enumerate(re.split(r"\$", reason)):
        if part:
            yield nodes.math(part, part) if place % 2 else nodes.Text(part)
