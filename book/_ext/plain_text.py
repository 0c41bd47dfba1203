"""What a part of a page says, as plain text: formulas in the letters of a keyboard and the Greek ones, no code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes

SIGNS = {
    **{
        "cdot": "·",
        "cdots": "…",
        "dots": "…",
        "ldots": "…",
        "times": "×",
        "le": "≤",
        "leq": "≤",
        "ge": "≥",
        "geq": "≥",
    },
    **{
        "ne": "≠",
        "neq": "≠",
        "approx": "≈",
        "in": "∈",
        "to": "→",
        "mapsto": "→",
        "infty": "∞",
        "sum": "Σ",
        "prod": "Π",
    },
    **{"int": "∫", "sqrt": "√", "langle": "⟨", "rangle": "⟩", "top": "T", "pm": "±", "lfloor": "⌊", "rfloor": "⌋"},
    **{
        "lceil": "⌈",
        "rceil": "⌉",
        "prime": "'",
        "mid": "|",
        "equiv": "≡",
        "sim": "~",
        "ll": "≪",
        "gg": "≫",
        "circ": "∘",
    },
    **{"odot": "⊙", "otimes": "⊗", "oplus": "⊕", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "|": "‖"},
}
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau"
GREEK = dict(zip(f"{GREEK} upsilon phi chi psi omega".split(), map(chr, range(0x3B1, 0x3CA)), strict=True))
LETTERS = GREEK | {name.title(): letter.upper() for name, letter in GREEK.items()} | {"varphi": "φ", "varepsilon": "ε"}
# Commands that are read as their own name; any other one, such as \text or \left, is left out.
SPOKEN = set(
    ["sin", "cos", "tan", "exp", "log", "ln", "max", "min", "arg", "clip", "det", "dim", "lim", "tr", "bmod", "mod"]
)
LONGEST = 60  # a longer formula breaks up a sentence of plain text
SKIPPED = (nodes.raw, nodes.comment, nodes.literal_block, nodes.system_message, nodes.math_block)
SKIPPED += (nodes.substitution_definition, nodes.title)
CODE = {"cell_input", "cell_output", "toctree-wrapper"}


def spoken(tex: str) -> str:
    r"""A formula as one would type it in a letter; nothing where it is long.

    >>> spoken(r"\theta_i = b^{-2i/d}"), spoken(r"\frac{a}{\sqrt{d}} \cdot \text{bias}(m - n)\,\mathrm{e}^x")
    ('θ_i = b^(-2i/d)', '(a)/(√(d)) · bias(m - n) e^x')
    """
    text = re.sub(r"\\[tdc]?frac\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}", r"(\1)/(\2)", tex)
    text = re.sub(r"\\[tdc]?frac\s*(\d)\s*(\d)", r"\1/\2", text)
    text = re.sub(r"\\(?:begin|end)\{\w+\*?\}|\\\\|\\[,;:! ]|&|~", " ", text)
    text = re.sub(r"\\(?:text|mathrm|operatorname|mathbf|mathbb|mathcal|boldsymbol)\*?\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\([A-Za-z]+|\|)", lambda found: sign(found[1]), text).replace("\\", "")
    text = re.sub(r"\{(\w?)\}", r"\1", text).replace("{", "(").replace("}", ")")
    text = re.sub(r"(?<=[⟨√⌊⌈]) | (?=[⟩⌋⌉])", "", " ".join(text.split()))
    return text if len(text) <= LONGEST else ""


def sign(command: str) -> str:
    return (SIGNS | LETTERS).get(command, f"{command} " if command in SPOKEN else "")


def is_section(node: nodes.Node) -> bool:
    """Whether it has a heading of its own; what stands in the box of a theorem is a section without one."""
    return isinstance(node, nodes.section) and isinstance(node.next_node(), nodes.title)


def pieces(node: nodes.Node) -> Iterator[str]:
    """The words of a part of a page, without its code, its pictures and the parts that have a heading of their own."""
    if isinstance(node, nodes.math):
        yield spoken(node.astext())
    elif isinstance(node, nodes.Text):
        yield node.astext()
    elif not isinstance(node, SKIPPED) and not CODE & set(getattr(node, "attributes", {}).get("classes", ())):
        for child in node.children:
            if not is_section(child):
                yield from pieces(child)
        if not isinstance(node, nodes.Inline):
            yield " "


def said(node: nodes.Node) -> str:
    """The words of a part of a page, or of a title itself."""
    parts = node.children if isinstance(node, nodes.title) else [node]
    return " ".join("".join(piece for part in parts for piece in pieces(part)).split())


def names_in_code(section: nodes.section) -> list[str]:
    """The names in the code of a section that nobody would take for a word: alibi_slopes, MultiHeadAttention."""
    found = {}
    for block in own(section, nodes.literal_block):
        found |= dict.fromkeys(re.findall(r"\b(?:[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w*)\b", block.astext()))
    return list(found)


def own(section: nodes.section, kind: type) -> Iterator[nodes.Node]:
    """What of a kind stands in a section and in no section of it."""
    for child in section.children:
        if not is_section(child):
            yield from child.findall(kind)
