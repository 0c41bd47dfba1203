"""Boxes that are closed at first, and where they stand, so that they do not cut the argument into pieces.

What was checked hangs as a small sign at its statement, its chain or its paragraph: neighbours share one sign, and a
statement has the sign of the chain below it. The code of figures and the set-up wait in one line at the end of a page.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

CHECKED = "How this was checked"
BEHIND = {"set-up": "Set-up", "figures": "How this was drawn"}  # in these words the line at the end names them


class fold(nodes.General, nodes.Element):
    """Not myst_nb's own: its summary is named "Toggle hidden content" for screen readers."""


def folded(summary: str, children: list[nodes.Node]) -> fold:
    return fold("", *children, summary=summary)


def start(self: HTML5Translator, box: fold) -> None:
    kind = "folded sign" if box["summary"] == CHECKED else "folded"
    self.body.append(f'<details class="{kind}"><summary><span>{box["summary"]}</span></summary>')


def end(self: HTML5Translator, box: fold) -> None:
    self.body.append("</details>")


class Gather(SphinxPostTransform):
    default_priority = 199  # after the folds are made, and before myst_nb hides what is tagged so
    formats = ("html",)

    def run(self, **_: object) -> None:
        self.put_behind()
        for host in list(self.document.findall(is_host)):
            while is_closed(after := beside(host, 1)):
                move(after, host)
        for box in list(self.document.findall(fold)):
            if earlier := last_fold(beside(whole(box), -1)):
                merge(box, earlier)
        for box in list(self.document.findall(fold)):
            if statement := statement_above(box):
                hang(box, statement)

    def put_behind(self) -> None:
        """The code that no claim rests on, in its order, as one line at the end of the page."""
        boxes = [box for box in self.document.findall(fold) if box["summary"] in BEHIND.values()]
        kinds = [kind for kind, summary in BEHIND.items() if summary in {box["summary"] for box in boxes}]
        if boxes:
            all_code = folded(f"Code of this page’s {' and '.join(kinds)}", [])
            for box in boxes:
                merge(box, all_code)
            self.document[-1].append(celled(all_code))


def is_host(node: nodes.Node) -> bool:
    """A statement, or a box that opens with a click: a solution, or something for the curious."""
    return isinstance(node, nodes.Element) and bool({"proof", "dropdown"} & {*node.get("classes", ())})


def is_cell(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_closed(node: nodes.Node | None) -> bool:
    """Whether there is nothing to see of it but a line to click on."""
    return isinstance(node, fold) or (is_cell(node) and (node.get("hide_mode") == "all" or is_only_fold(node)))


def is_only_fold(cell: nodes.Element) -> bool:
    return len(cell) == 1 and isinstance(cell[0], fold)


def last_fold(node: nodes.Node | None) -> fold | None:
    """The fold that a node is, or with which a cell ends."""
    last = node[-1] if is_cell(node) and len(node) else node
    return last if isinstance(last, fold) else None


def statement_above(box: fold) -> nodes.Element | None:
    """The statement whose chain ends with this fold; other chains of the same proof may stand between."""
    if not is_cell(box.parent) or is_only_fold(box.parent):
        return None
    above = beside(box.parent, -1)
    while is_cell(above) and "tag_derivation" in above["classes"] and not last_fold(above):
        above = beside(above, -1)
    return above if above is not None and "proof" in above.get("classes", ()) else None


def hang(box: fold, statement: nodes.Element) -> None:
    """A statement has one fold, and it comes last."""
    if earlier := last_fold(statement[-1]):
        merge(box, earlier)
    else:
        box.parent.remove(box)
        statement.append(celled(box))


def merge(box: fold, into: fold) -> None:
    whole(box).parent.remove(whole(box))
    into += box.children


def celled(box: fold) -> nodes.container:
    """What is in a cell looks like code of a page."""
    return nodes.container("", box, nb_element="cell_code", classes=["cell"])


def whole(box: fold) -> nodes.Element:
    """The cell in which there is nothing else, or the fold itself."""
    return box.parent if is_cell(box.parent) and is_only_fold(box.parent) else box


def beside(node: nodes.Element, step: int) -> nodes.Node | None:
    place = node.parent.index(node) + step
    return node.parent[place] if 0 <= place < len(node.parent) else None


def move(node: nodes.Node, into: nodes.Element) -> None:
    node.parent.remove(node)
    into.append(node)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(fold, html=(start, end))
    app.add_post_transform(Gather)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
