"""A page as plain Markdown, for programs that read: what it says, formulas in LaTeX, code with its outputs.

A picture is its words there. Of a fold below a derivation the steps are there, and not the code that checks them.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

from docutils import nodes
from folds import CHECKED, fold

ALT = re.compile(r'<(?:svg|img)\b[^>]*? (?:aria-label|alt)="([^"]*)"')
PAGE, AS_MARKDOWN = re.compile(r"^(?!\w+:)([^#]+)\.html(#.*)?"), r"\1.md\2"
RECORD = re.compile(r'(?s)<script type="application/json">(.*)</script>')
SILENT = (nodes.comment, nodes.system_message, nodes.substitution_definition, nodes.label)
MARKS = {nodes.emphasis: "*", nodes.strong: "**", nodes.literal: "`", nodes.math: "$"}
PLAIN = ("none", "default", "myst-ansi")  # languages of what is no code


def inline(node: nodes.Node) -> str:
    """A part of a line."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.image | nodes.raw):
        return picture(node)
    if isinstance(node, SILENT):
        return ""
    text = node.astext() if isinstance(node, nodes.literal | nodes.math) else line(node)
    if isinstance(node, nodes.footnote_reference):
        return f"[^{text}]"
    if isinstance(node, nodes.reference) and "refuri" in node:
        return f"[{text}]({PAGE.sub(AS_MARKDOWN, node['refuri'])})"
    mark = MARKS.get(type(node), "") if text.strip() else ""
    return f"{mark}{text}{mark}"


def line(node: nodes.Element) -> str:
    return "".join(map(inline, node.children))


def picture(node: nodes.Node) -> str:
    """What a picture shows; and what it asks and answers, if it moves."""
    text = node.astext()
    if record := RECORD.match(text):
        told = json.loads(record[1])
        return f"[Picture: {told['alt']}]\n\nGuess first: {told['question']}\n\nAnswer: {told['answer']}"
    alt = node.get("alt") or "".join(ALT.findall(text)[:1])
    return f"[Picture: {alt}]" if alt else ""


def blocks(node: nodes.Node) -> Iterator[str]:
    """The paragraphs, formulas, lists and so on, of which a part of a page consists."""
    classes = {*getattr(node, "attributes", {}).get("classes", ())}
    if form := FORMS.get(type(node)):
        yield form(node)
    elif "chain" in classes:
        yield chain(node)
    elif "movable" in classes:
        yield picture(node[-1])
    elif isinstance(node, nodes.TextElement | nodes.image | nodes.raw):
        yield inline(node)
    elif isinstance(node, fold) and node["summary"] == CHECKED:
        yield from map(chain, node.findall(is_chain))
    elif not isinstance(node, (*SILENT, nodes.Text)):
        for child in node.children:
            yield from blocks(child)


def body(node: nodes.Node) -> str:
    found = (block.strip("\n") for child in node.children for block in blocks(child))
    return "\n\n".join(filter(None, found))


def heading(node: nodes.title) -> str:
    """A line in bold in a box; in that of a statement it says what kind it is."""
    if isinstance(node.parent, nodes.section):
        return f"{'#' * depth(node)} {line(node)}"
    kind = node.parent["classes"][1].title() if "proof" in node.parent["classes"] else ""
    return f"**{' '.join([kind, *line(node).split()]).strip()}**"


def depth(node: nodes.Node) -> int:
    return 0 if node is None else isinstance(node, nodes.section) + depth(node.parent)


def items(node: nodes.Element) -> str:
    signs = ["-"] * len(node) if isinstance(node, nodes.bullet_list) else [f"{k}." for k in range(1, len(node) + 1)]
    texts = (textwrap.indent(body(item), " " * (len(sign) + 1)) for sign, item in zip(signs, node, strict=True))
    return "\n".join(sign + text[len(sign) :] for sign, text in zip(signs, texts, strict=True))


def table(node: nodes.table) -> str:
    rows = [[cell(entry) for entry in row.findall(nodes.entry)] for row in node.findall(nodes.row)]
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    titles = [f"*{line(title)}*\n" for title in node.findall(nodes.title)]
    return "\n".join([*titles, head, "| --- " * len(rows[0]) + "|", *rest])


def cell(node: nodes.entry) -> str:
    return " ".join(body(node).split()).replace("|", "\\|")


def code(node: nodes.literal_block) -> str:
    language, text = node.get("language", "none"), node.astext().strip("\n")
    return f"```{'' if language in PLAIN else language}\n{text}\n```"


def is_chain(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and "chain" in node["classes"]


def chain(node: nodes.Element) -> str:
    """A derivation, a step a line, each with its reason."""
    return "\n".join(f"- {step(row)}" for row in node.children)


def step(row: nodes.Element) -> str:
    if "chain-line" not in row["classes"]:
        return line(row)
    formula, *reason = map(inline, row.children)
    return " ".join([formula.replace(r"\displaystyle ", ""), *(f"({each})" for each in reason)])


FORMS = {
    nodes.title: heading,
    nodes.bullet_list: items,
    nodes.enumerated_list: items,
    nodes.table: table,
    nodes.literal_block: code,
    nodes.math_block: lambda node: f"$$\n{node.astext().strip()}\n$$",
    nodes.caption: lambda node: f"*{line(node)}*",
    nodes.footnote: lambda node: f"[^{node[0].astext()}]: {body(node)}",
    nodes.transition: lambda node: "---",
}
