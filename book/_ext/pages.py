"""On the site the idea comes first: what a cell shows stands before its code, and the code is folded.

A cell's tag says how it is shown. A derivation or a picture comes first, and its code is folded; set-up and checks are
folded as a whole; `folds.py` says where. The notebooks stay as they are: Colab and GitHub show cells in their order.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

from chains import set_chain
from docutils import nodes
from folds import BEHIND, CHECKED, folded
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookkit.derivation.page.display import LAYOUT
from tools.book.ledger import anchor, by_cell

BELOW = {"tag_derivation": CHECKED, "tag_picture": BEHIND["figures"]}
OPEN = "tag_open"
ORIGIN = ("Slot.", "Files.")  # how the line begins
WHOLE = {"tag_setup": BEHIND["set-up"], "tag_check": CHECKED}


class ShowIdeasFirst(SphinxPostTransform):
    default_priority = 198  # before myst_nb hides inputs
    formats = ("html",)

    def run(self, **_: object) -> None:
        for proofs in runs(list(self.document.findall(is_hidden_proof))):
            self.fold_together(proofs)
        for cell in list(self.document.findall(is_open_proof)):
            refill(cell, [cell[0], *self.shown(cell)])
        cells = list(self.document.findall(is_foldable))
        silent = [cell for cell in cells if is_whole(cell) or is_silent_proof(cell)]
        for cell in cells:
            if cell not in silent:
                code = [*waiting_before(cell), cell[0]]
                refill(cell, [*self.shown(cell), folded(summary(cell), code)])
        for cell in silent:
            if cell.parent:
                refill(cell, [folded(summary(cell) if is_whole(cell) else WHOLE["tag_setup"], cell.children)])

    def fold_together(self, proofs: list[nodes.container]) -> None:
        """Hidden derivations that follow one another, under one fold: chain, code, chain, code."""
        for cell in proofs:
            refill(cell, [*self.shown(cell), cell[0]])
            cell["hide_mode"] = None
            cell["classes"].remove("tag_derivation")
        parent, first = proofs[0].parent, proofs[0].parent.index(proofs[0])
        for cell in proofs:
            parent.remove(cell)
        parent.insert(first, folded(BELOW["tag_derivation"], proofs))

    def shown(self, cell: nodes.container) -> list[nodes.Node]:
        """The derivations of a cell, set from the parts that its notebook keeps; of any other cell its outputs."""
        layouts = layouts_of(Path(self.env.doc2path(self.env.docname))).get(cell["cell_index"], [])
        return [*map(set_chain, layouts)] or cell.children[1:]


class MarkConditions(SphinxPostTransform):
    """A last paragraph in italics under a statement says for what it holds; small, with a link to tests."""

    default_priority = 197  # before folds go into the statement
    formats = ("html",)

    def run(self, **_: object) -> None:
        for statement in self.document.findall(lambda n: "proof" in getattr(n, "attributes", {}).get("classes", ())):
            for last in list(statement.findall(nodes.paragraph))[-1:]:
                if len(last.children) == 1 and isinstance(last[0], nodes.emphasis):
                    last["classes"].append("conditions")
                    last += [nodes.Text(" "), self.tests_of(statement["label"])]

    def tests_of(self, claim: str) -> nodes.reference:
        ledger = self.app.builder.get_relative_uri(self.env.docname, "book/practice/ledger")
        return nodes.reference("", "Tests", refuri=f"{ledger}#{anchor(claim)}", internal=True)


class MarkOrigin(SphinxPostTransform):
    """Where a method acts, which paper it is from, which files hold it: one quiet line at the end of the page."""

    default_priority = 199
    formats = ("html",)

    def run(self, **_: object) -> None:
        for line in self.document.findall(nodes.paragraph):
            if line.astext().startswith(ORIGIN):
                line["classes"].append("origin")


class KeepPoints(SphinxPostTransform):
    """A point or a comma after a formula stays on its line: browsers break before it."""

    default_priority = 200
    formats = ("html",)

    def run(self, **_: object) -> None:
        for formula in list(self.document.findall(nodes.math)):
            after = formula.next_node(nodes.Text, descend=False, siblings=True)
            place = formula.parent.index(formula) + 1
            points = (
                re.match(r"[.,;:!?)’”]+", after) if after and formula.parent[place : place + 1] == [after] else None
            )
            if points:
                formula.parent[place] = nodes.Text(after[points.end() :])
                formula.replace_self(
                    nodes.inline("", "", formula.deepcopy(), nodes.Text(points[0]), classes=["nobreak"])
                )


class KeepUnits(SphinxPostTransform):
    """A number and its unit stay on one line."""

    default_priority = 201
    formats = ("html",)

    def run(self, **_: object) -> None:
        for words in list(self.document.findall(nodes.Text)):
            kept = re.sub(r"(?<=\d) (?=(?:%|[KMG]i?B)(?!\w))", "\N{NO-BREAK SPACE}", words)
            if kept != words and not isinstance(words.parent, nodes.literal | nodes.literal_block):
                words.parent.replace(words, nodes.Text(kept))


def is_hidden_proof(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and "tag_derivation" in node["classes"] and hidden(node)


def runs(cells: list[nodes.container]) -> list[list[nodes.container]]:
    """The cells in groups that follow one another without a word between them."""
    groups: list[list[nodes.container]] = []
    for cell in cells:
        if groups and groups[-1][-1].next_node(descend=False, siblings=True) is cell:
            groups[-1].append(cell)
        else:
            groups.append([cell])
    return groups


def is_foldable(node: nodes.Node) -> bool:
    """A tagged cell. One that is a solution is folded as a whole already."""
    tagged = isinstance(node, nodes.container) and bool(set(BELOW | WHOLE) & {*node["classes"]})
    return tagged and not hidden(node) and OPEN not in node["classes"]


def is_open_proof(node: nodes.Node) -> bool:
    """A derivation that a reader comes to edit: its code stays, above what it shows."""
    return isinstance(node, nodes.container) and {"tag_derivation", OPEN} <= {*node["classes"]}


def is_whole(cell: nodes.container) -> bool:
    """Whether all of the cell is folded, with what it shows."""
    return bool(set(WHOLE) & {*cell["classes"]})


def summary(cell: nodes.container) -> str:
    return next((BELOW | WHOLE)[name] for name in cell["classes"] if name in BELOW | WHOLE)


def hidden(cell: nodes.container) -> bool:
    return cell.get("hide_mode") == "all"


def waiting_before(cell: nodes.container) -> list[nodes.Node]:
    """The code of the cells just before this one that show nothing, in their order; they leave their places."""
    place = cell.parent.index(cell)
    sources: list[nodes.Node] = []
    while place and is_silent_proof(before := cell.parent[place - 1]):
        sources.insert(0, before[0])
        cell.parent.remove(before)
        before.parent = None
        place -= 1
    return sources


def is_silent_proof(node: nodes.Node) -> bool:
    return is_foldable(node) and not is_whole(node) and len(node.children) == 1


def refill(cell: nodes.container, children: list[nodes.Node]) -> None:
    cell.children = []
    cell.extend(children)


@functools.lru_cache(maxsize=2)
def layouts_of(notebook: Path) -> dict[int, list[dict]]:
    return by_cell(json.loads(notebook.read_text(encoding="utf-8")), LAYOUT)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(ShowIdeasFirst)
    app.add_post_transform(MarkConditions)
    app.add_post_transform(MarkOrigin)
    app.add_post_transform(KeepPoints)
    app.add_post_transform(KeepUnits)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
