"""Each check of a chapter's form, of its notebook and of its outputs finds what is planted for it, and nothing else.

A row has a check, what is done to a sound chapter, and words of the fault that is found: "" where none is.
"""

from __future__ import annotations

import copy
import re

import nbformat

from bookkit.movable.description import MOVABLE
from tests.support.small_chapter import BLANK, DOTS
from tools import notebooks
from tools.book.chapter_rules import form, outputs
from tools.book.chapter_rules.fresh import stale_outputs

DRAWN, PNG = "image/svg+xml", "image/png"
AGAIN = "is another one when run again"
OTHER = "the cell '2 + 2' shows something else when run again"
TWINS = "the text and the notebook differ: make notebooks"


# --- What is done to the small chapter: its sum is in cell 2, its figure in the last ----------------------------------


def total(**changes):
    return lambda notebook: notebook.cells[2].update(changes)


def result(*shown):
    return total(outputs=[nbformat.v4.new_output(kind, **given) for kind, given in shown])


def figure(**changes):
    return lambda notebook: notebook.cells[-1].update(changes)


def data(kind, change):
    def spoil(notebook):
        held = notebook.cells[-1].outputs[0].data
        held[kind] = change(held.get(kind))

    return spoil


def without(kind):
    return lambda notebook: notebook.cells[-1].metadata["mystnb"].pop(kind)


def moving(*changes):
    """The last cell shows a picture that moves: its record, and its still frames."""

    def spoil(notebook):
        record = {"alt": "A clock.", "question": "What stays?", "answer": "The angle."}
        shown = {MOVABLE: record, PNG: DOTS, "text/plain": "A clock."}
        notebook.cells[-1].update(source="clock()", outputs=[nbformat.v4.new_output("execute_result", data=shown)])
        notebook.cells[-1].metadata["mystnb"].pop("image")
        for change in changes:
            change(notebook)

    return spoil


def wordless(name):
    return data(MOVABLE, lambda record: {**record, name: " "})


def shows(kind, text):
    return "display_data", {"data": {kind: text}}


def stream(name, text):
    return "stream", {"name": name, "text": text}


def error(name="ValueError", value="no", path=""):
    return "error", {"ename": name, "evalue": value, "traceback": [path]}


def imports_a_real_model(notebook):
    notebook.cells.append(nbformat.v4.new_code_cell("from bookkit.released_model import load"))


def unchanged(notebook):
    pass


# --- One notebook -----------------------------------------------------------------------------------------------------

AT_ADDRESS = shows("text/plain", "<object at 0x7f3a5c0d2e10>")
OF_A_NOTEBOOK = [
    (outputs.metadata_faults, unchanged, ""),
    (outputs.metadata_faults, lambda n: n.metadata.update(language_info={"name": "python"}), "hold 'language_info'"),
    (outputs.metadata_faults, lambda n: n.cells[2].metadata.update(execution={"busy": "2026"}), "hold 'execution'"),
    (outputs.seal_faults, unchanged, ""),
    (outputs.seal_faults, total(source="3 + 3"), "the notebook was run or saved by hand: make notebooks"),
    (outputs.run_faults, unchanged, ""),
    (outputs.run_faults, total(execution_count=7), "counts are [1, 7, 3]"),
    (outputs.run_faults, total(execution_count=None), "counts are [1, None, 3]"),
    (outputs.run_faults, result(error()), "ended in ValueError"),
    (outputs.run_faults, result(stream("stderr", "UserWarning: look out")), "UserWarning: look out"),
    (outputs.run_faults, result(AT_ADDRESS), "an address in memory"),
    (outputs.figure_faults, unchanged, ""),
    (outputs.figure_faults, figure(outputs=[]), "shows 0"),
    (outputs.figure_faults, data(PNG, lambda _: BLANK), "it shows 1, and 1 as pixels"),
    (outputs.figure_faults, data(DRAWN, lambda svg: svg[:-9]), "cannot be read"),
    (outputs.figure_faults, data(DRAWN, lambda svg: re.sub("<text.*?</text>", "", svg)), "has no words"),
    (outputs.figure_faults, data(DRAWN, lambda svg: svg + " " * 60_000), "letters: draw fewer points"),
    (outputs.figure_faults, without("image"), "has no alt text"),
    (outputs.figure_faults, without("figure"), "has no caption"),
    (outputs.figure_faults, figure(source="plt.show()\nprint(1)"), "should end with its one plt.show()"),
    (outputs.figure_faults, moving(), ""),
    *((outputs.figure_faults, moving(wordless(name)), f"has no {name}") for name in ("alt", "question", "answer")),
    (outputs.figure_faults, moving(without("figure")), "has no caption"),
    (outputs.figure_faults, moving(data(PNG, lambda _: "iVBORw0KGgoAAAANSUhEUgAAAA==")), "cannot be decoded"),
    (outputs.figure_faults, moving(data(PNG, lambda _: BLANK)), "is blank"),
    (outputs.figure_faults, moving(lambda n: n.cells[-1].outputs[0].data.pop(PNG)), "one moving picture, with still"),
    (lambda n: form.address_faults(n, "OWNER/REPOSITORY"), unchanged, ""),
    (lambda n: form.address_faults(n, "someone/else"), unchanged, "someone/else"),
    (lambda n: form.address_faults(n, "OWNER/REPOSITORY"), imports_a_real_model, "!python -m bookkit.released_model"),
    (lambda n: form.address_faults(n, "OWNER/REPOSITORY"), lambda n: n.cells[0].update(metadata={}), "remove-cell"),
    (form.word_faults, unchanged, ""),
]


def test_what_is_planted_in_a_notebook_is_found(good):
    assert not (told := missed((check, spoilt(good, spoil), fault) for check, spoil, fault in OF_A_NOTEBOOK)), told


def spoilt(notebook, spoil):
    spoil(made := copy.deepcopy(notebook))
    assert (made != notebook) == (spoil is not unchanged)
    return made


def missed(rows) -> str:
    """The rows of which the check says nothing, something else, or more."""
    told = ((fault, list(check(made))) for check, made, fault in rows)
    wrong = [(fault, found) for fault, found in told if [fault in one for one in found] != [True] * bool(fault)]
    return "\n".join(f"{fault!r} is planted; found: {found}" for fault, found in wrong)


# --- A text and its notebook ------------------------------------------------------------------------------------------


def test_a_text_and_a_notebook_that_part_are_told(made, good):
    def faults(of_text=unchanged, of_notebook=unchanged):
        return list(outputs.twin_faults(spoilt(notebooks.read_text(made), of_text), spoilt(good, of_notebook)))

    assert faults() == []
    assert faults(lambda text: text.cells[1].update(source="# Another line")) == [TWINS]
    assert faults(lambda text: text.cells[-1].metadata["mystnb"]["figure"].update(caption="It goes down.")) == [TWINS]
    assert faults(*[total(source="3 + 3")] * 2) == ["the outputs belong to another text: make notebooks"]


# --- A notebook and what it shows when it is run again ----------------------------------------------------------------


def hair(svg: str) -> str:
    """A hundredth of a point more."""
    return re.sub(r"(?<=M)[\d.]+(?= [\d.]+h)", lambda x: f"{float(x[0]) + 0.01:.2f}", svg, count=1)


def lean(svg: str) -> str:
    """The end of a level line, which is no longer level."""
    return re.sub(r'h([\d.]+)"', r'l\1-.01"', svg, count=1)


ONE, TWO = shows("text/plain", "1"), shows("text/latex", "2")
AGAIN_AND_ANEW = [
    (unchanged, unchanged, ""),
    (unchanged, data(DRAWN, hair), ""),
    (unchanged, data(DRAWN, lean), ""),
    (unchanged, data(DRAWN, lambda svg: re.sub(r"M([\d.]+)", lambda m: f"M{float(m[1]) + 0.1}", svg)), AGAIN),
    (unchanged, data(DRAWN, lambda svg: svg.replace("</text>", "0</text>", 1)), AGAIN),
    (unchanged, data(DRAWN, lambda svg: svg.replace("stroke:", "fill:", 1)), AGAIN),
    (unchanged, data(DRAWN, lambda svg: svg.replace("<path", "<path/><path", 1)), AGAIN),
    (moving(), moving(), ""),
    (moving(), moving(data(PNG, lambda _: BLANK)), AGAIN),
    (moving(), moving(data(MOVABLE, lambda r: {**r, "tables": {"theta": [1.0, 0.1]}})), "shows something else"),
    *(
        (result(shows(f"text/{kind}", "1.00")), result(shows(f"text/{kind}", "1.01")), OTHER)
        for kind in ("plain", "latex", "html", "markdown", "x-new")
    ),
    (result(shows("image/jpeg", "abcd")), result(shows("image/jpeg", "abce")), OTHER),
    (result(shows("application/json", {"a": 1})), result(shows("application/json", {"a": 2})), OTHER),
    (result(shows("text/plain", "1")), result(shows("text/html", "1")), OTHER),
    (result(stream("stdout", "one\n")), result(stream("stdout", "one \n")), OTHER),
    (result(stream("stderr", "look")), result(stream("stderr", "look out")), OTHER),
    (result(stream("stdout", "one")), result(stream("stderr", "one")), OTHER),
    (result(error(value="no")), result(error(value="yes")), OTHER),
    (result(error(path="/a")), result(error(path="/b")), ""),  # of this machine
    (result(ONE), result(error()), OTHER),
    (result(ONE), result(), OTHER),
    (result(), result(ONE), OTHER),
    (result(ONE), result(ONE, ONE), OTHER),
    (result(ONE, ONE), result(ONE), OTHER),
    (result(ONE, TWO), result(TWO, ONE), OTHER),
    (total(source="", outputs=[nbformat.v4.new_output("stream", text="1")]), total(source="", outputs=[]), "else"),
]


def test_what_a_cell_shows_when_run_again_is_compared_whole(good):
    both = [((spoilt(good, old), spoilt(good, new)), fault) for old, new, fault in AGAIN_AND_ANEW]
    assert not (told := missed((lambda sides: stale_outputs(*sides), sides, fault) for sides, fault in both)), told
    same = [(stored, stored) for (stored, _), _ in both]
    assert not (told := missed((lambda sides: stale_outputs(*sides), sides, "") for sides in same)), told


def test_a_figure_that_goes_away_is_told_twice(good):
    of_text, of_figures = stale_outputs(good, spoilt(good, figure(outputs=[])))
    assert "something else" in of_text
    assert "another number of figures" in of_figures


def test_one_line_moved_and_another_sum_are_seen_when_the_chapter_is_run(pair, good):
    pair.write_text(pair.read_text().replace("[0, 1]", "[1, 0]").replace("2 + 2", "2 + 3"))
    of_sum, of_line = stale_outputs(good, notebooks.made_from(notebooks.read_text(pair), pair.parent))
    assert re.search(r'(?s)- .*"4".*"5"', of_sum)
    assert AGAIN in of_line


# --- How it is written ------------------------------------------------------------------------------------------------


def page(words, *sources, more="", tags=()):
    told = nbformat.v4.new_markdown_cell("word " * words + more)
    return nbformat.v4.new_notebook(cells=[told, *(cell(source, tags) for source in sources)])


def cell(source, tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": [*tags]})


def folded_width(notebook):
    return form.width_faults(form.folded_cells(notebook))


NOISE = ["$$\na b c\n$$", "$a + b$", ":::{note} title\n:class: tip\n:::", "(a-label)=", "{cite}`vaswani2017`"]
WRITTEN = [
    (form.length_faults, page(999), "this one has 999"),
    (form.length_faults, page(1000), ""),
    (form.length_faults, page(2200), ""),
    (form.length_faults, page(2201), "this one has 2201"),
    (form.length_faults, page(2200, more="\n\n## Exercises\n\n" + "word " * 500), ""),
    *((form.length_faults, page(2200, more=f"\n\n{noise}\n"), "") for noise in NOISE),
    *((form.length_faults, page(2201, more=f"\n\n{noise}\n"), "this one has 2201") for noise in NOISE),
    (form.length_faults, page(2198, more="[two words](https://example.org/a/b)"), ""),
    (form.length_faults, page(2199, more="[two words](https://example.org/a/b)"), "this one has 2201"),
    (form.code_faults, page(1500, *["x = 1\n" * 7] * 2, "x"), "has at most 6 lines; here it has 7"),
    (form.code_faults, page(1500, "x = 1\n" * 21, "x", "x"), "has at most 20 lines; 'x = 1' has 21"),
    (form.code_faults, page(1500, "x" * 81), "has 81"),
    (form.code_faults, page(1500, "x = 1\n" * 4, "plt.show()"), "1 of 5 do"),
    (form.code_faults, page(1500, "x = 1\n" * 4, "ax.plot(x)"), "1 of 5 do"),
    (form.code_faults, page(1500, "x = 1\n" * 6), ""),
    (form.code_faults, page(1500, "x" * 80), ""),
    (form.code_faults, page(1500, "x = 1\n" * 20, "x", "x"), ""),
    (form.code_faults, page(1500, *["x = 1\n" * 6] * 3, "plt.show()"), ""),
    (form.code_faults, page(1500, "x" * 81, tags=["hide-cell"]), ""),
    (folded_width, page(1500, "x" * 81, tags=["hide-cell"]), "has 81"),
    (form.word_faults, page(0, more="as GPT-4 does"), "says 'GPT-4'"),
    (form.word_faults, page(0, more="the first symbolic proof"), "nobody can know"),
    (form.word_faults, page(0, more="TODO"), "it is not finished"),
    (form.word_faults, page(0, more="a box ends :::"), "on a line of its own"),
    (form.word_faults, page(0, more="in 77\n% of texts"), "is a comment"),
]


def test_what_is_written_otherwise_than_agreed_is_found():
    assert not (told := missed(WRITTEN)), told
