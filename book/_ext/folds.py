"""Boxes that are closed at first, and where they stand, so that they do not cut the argument into pieces.

Each goes into the statement or the box that it belongs to, neighbours become one, and the set-up of a page waits for
the first code that a reader sees.
"""

from __future__ import annotations

from itertools import takewhile

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

SET_UP = "Set-up"


class fold(nodes.General, nodes.Element):
    """Not myst_nb's own: its summary is named "Toggle hidden content" for screen readers."""


def folded(summary: str, children: list[nodes.Node]) -> fold:
    return fold("", *children, summary=summary)


def start(self: HTML5Translator, box: fold) -> None:
    self.body.append(f'<details class="folded"><summary>{box["summary"]}</summary>')


def end(self: HTML5Translator, box: fold) -> None:
    self.body.append("</details>")


class Gather(SphinxPostTransform):
    default_priority = 199  # after the folds are made, and before myst_nb hides what is tagged so
    formats = ("html",)

    def run(self, **_: object) -> None:
        for host in list(self.document.findall(is_host)):
            while is_closed(after := beside(host, 1)):
                move(after, host)
        self.put_off()
        for box in list(self.document.findall(fold)):
            if earlier := last_fold(beside(whole(box), -1)):
                earlier["summary"] = together(earlier["summary"], box["summary"])
                whole(box).parent.remove(whole(box))
                earlier += box.children
        for box in list(self.document.findall(fold)):
            if above := in_statement_above(box):
                whole(above).parent.remove(whole(above))
                for place, node in enumerate(above.children):
                    box.insert(place, node)

    def put_off(self) -> None:
        """The set-up goes before the first code in view, and on a page without any to the end."""
        met = [node for node in self.document.findall() if is_in_view(node) or isinstance(node, fold)]
        code = next(filter(is_in_view, met), None)
        for box in takewhile(is_set_up, met):
            if code:
                move(whole(box), code.parent, code.parent.index(code))
            else:
                move(whole(box), self.document[-1])


def is_set_up(node: nodes.Node) -> bool:
    return isinstance(node, fold) and node["summary"] == SET_UP


def is_host(node: nodes.Node) -> bool:
    """A statement, or a box that opens with a click: a solution, or something for the curious."""
    return isinstance(node, nodes.Element) and bool({"proof", "dropdown"} & {*node.get("classes", ())})


def is_cell(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_in_view(node: nodes.Node) -> bool:
    """A cell whose code stands there for whoever reads the page from the top."""
    shows_code = is_cell(node) and len(node) > 0 and isinstance(node[0], nodes.container)
    return shows_code and "cell_input" in node[0]["classes"] and not node.get("hide_mode")


def is_closed(node: nodes.Node | None) -> bool:
    """Whether there is nothing to see of it but a line to click on."""
    return isinstance(node, fold) or (is_cell(node) and (node.get("hide_mode") == "all" or is_only_fold(node)))


def is_only_fold(cell: nodes.Element) -> bool:
    return len(cell) == 1 and isinstance(cell[0], fold)


def last_fold(node: nodes.Node | None) -> fold | None:
    """The fold that a node is, or with which a cell ends."""
    last = node[-1] if is_cell(node) and len(node) else node
    return last if isinstance(last, fold) else None


def in_statement_above(box: fold) -> fold | None:
    """The fold of the statement whose chain ends with this one: a statement has one fold, and it comes last."""
    statement = beside(box.parent, -1) if is_cell(box.parent) and not is_only_fold(box.parent) else None
    has_fold = statement and "proof" in statement.get("classes", ()) and len(statement)
    return last_fold(statement[-1]) if has_fold else None


def whole(box: fold) -> nodes.Element:
    """The cell in which there is nothing else, or the fold itself."""
    return box.parent if is_cell(box.parent) and is_only_fold(box.parent) else box


def beside(node: nodes.Element, step: int) -> nodes.Node | None:
    place = node.parent.index(node) + step
    return node.parent[place] if 0 <= place < len(node.parent) else None


def move(node: nodes.Node, into: nodes.Element, place: int | None = None) -> None:
    node.parent.remove(node)
    into.insert(len(into) if place is None else place, node)


def together(*summaries: str) -> str:
    """One line for several folds: each of its names once.

    >>> together("How this was checked · Set-up", "How this was checked")
    'How this was checked · Set-up'
    """
    return " · ".join(dict.fromkeys(name for summary in summaries for name in summary.split(" · ")))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(fold, html=(start, end))
    app.add_post_transform(Gather)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
