"""Each check of a chapter's form, of its notebook and of its outputs sees the fault that it is there for."""

from __future__ import annotations

import copy
import itertools
import re

import nbformat
import pytest

from bookkit.movable.description import MOVABLE
from tests.support.small_chapter import BLANK, DOTS
from tools import notebooks
from tools.chapter_rules import form, outputs
from tools.chapter_rules.fresh import stale_outputs


def test_sound_chapter_has_no_fault(made, good):
    every = itertools.chain(
        outputs.twin_faults(notebooks.read_text(made), good),
        outputs.metadata_faults(good),
        outputs.seal_faults(good),
        outputs.run_faults(good),
        outputs.figure_faults(good),
        stale_outputs(good, good),
        form.address_faults(good, "OWNER/REPOSITORY"),
        form.word_faults(good),
    )
    assert list(every) == []


def spoiled(good, index, **changes):
    notebook = copy.deepcopy(good)
    notebook.cells[index].update(changes)
    return notebook


def test_twin_faults_see_an_edited_text(made, good):
    text = spoiled(notebooks.read_text(made), 1, source="# Another line")
    assert list(outputs.twin_faults(text, good)) == ["the text and the notebook differ: make notebooks"]


def test_twin_faults_see_an_edited_caption(made, good):
    text = notebooks.read_text(made)
    text.cells[-1].metadata["mystnb"]["figure"]["caption"] = "It goes down."
    assert list(outputs.twin_faults(text, good)) == ["the text and the notebook differ: make notebooks"]


def test_twin_faults_see_outputs_of_another_text(made, good):
    text, notebook = (spoiled(side, 2, source="3 + 3") for side in (notebooks.read_text(made), good))
    assert list(outputs.twin_faults(text, notebook)) == ["the outputs belong to another text: make notebooks"]


def test_metadata_faults_see_what_lab_leaves_behind(good):
    good.metadata["language_info"] = {"name": "python"}
    good.cells[2].metadata["execution"] = {"iopub.status.busy": "2026-01-01"}
    assert len(list(outputs.metadata_faults(good))) == 2


def test_seal_faults_see_a_notebook_that_was_saved_by_hand(good):
    assert list(outputs.seal_faults(spoiled(good, 2, source="3 + 3"))) == [
        "the notebook was run or saved by hand: make notebooks"
    ]


def test_run_faults_see_cells_run_out_of_order(good):
    assert "counts are [1, 7, 3]" in next(outputs.run_faults(spoiled(good, 2, execution_count=7)))


def test_run_faults_see_a_cell_that_was_not_run(good):
    assert "counts are [1, None, 3]" in next(outputs.run_faults(spoiled(good, 2, execution_count=None)))


def test_run_faults_see_a_stored_error(good):
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])
    assert "ended in ValueError" in next(outputs.run_faults(spoiled(good, 2, outputs=[error])))


def test_run_faults_see_a_stored_warning(good):
    warning = nbformat.v4.new_output("stream", name="stderr", text="UserWarning: look out")
    assert "UserWarning: look out" in next(outputs.run_faults(spoiled(good, 2, outputs=[warning])))


def test_run_faults_see_an_address_in_memory(good):
    output = nbformat.v4.new_output("execute_result", data={"text/plain": "<object at 0x7f3a5c0d2e10>"})
    assert "an address in memory" in next(outputs.run_faults(spoiled(good, 2, outputs=[output])))


def test_figure_faults_see_a_missing_figure(good):
    assert "shows 0" in next(outputs.figure_faults(spoiled(good, -1, outputs=[])))


def test_figure_faults_see_a_figure_of_pixels(good):
    good.cells[-1].outputs[0].data["image/png"] = BLANK
    assert "it shows 1, and 1 as pixels" in next(outputs.figure_faults(good))


DRAWN = "image/svg+xml"


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda svg: svg[:-9], "cannot be read"),
        (lambda svg: re.sub("<text.*?</text>", "", svg), "has no words"),
        (lambda svg: svg + " " * 60_000, "letters: draw fewer points"),
    ],
)
def test_figure_faults_see_a_drawing_that_is_none(good, spoil, fault):
    data = good.cells[-1].outputs[0].data
    data[DRAWN] = spoil(data[DRAWN])
    assert fault in next(outputs.figure_faults(good))


@pytest.mark.parametrize(("kind", "fault"), [("image", "has no alt text"), ("figure", "has no caption")])
def test_figure_faults_see_missing_words(good, kind, fault):
    del good.cells[-1].metadata["mystnb"][kind]
    assert fault in next(outputs.figure_faults(good))


def test_figure_faults_see_a_cell_that_goes_on_after_its_figure(good):
    good.cells[-1].source += "\nprint(1)"
    assert "should end with its one plt.show()" in next(outputs.figure_faults(good))


MOVING = {"alt": "A clock.", "question": "What stays?", "answer": "The angle."}


@pytest.fixture
def moving(good):
    """A notebook whose last cell shows a picture that moves: its record, and its still frames."""
    notebook = copy.deepcopy(good)
    cell = notebook.cells[-1]
    still = DOTS
    data = {MOVABLE: dict(MOVING), "image/png": still, "text/plain": "A clock."}
    cell.update(source="clock()", outputs=[nbformat.v4.new_output("execute_result", data=data)])
    del cell.metadata["mystnb"]["image"]
    return notebook


def test_a_picture_that_moves_needs_no_plt_show_and_brings_its_alt_text(moving):
    assert list(outputs.figure_faults(moving)) == []


@pytest.mark.parametrize("name", MOVING)
def test_figure_faults_see_a_picture_that_moves_without_its_words(moving, name):
    moving.cells[-1].outputs[0].data[MOVABLE][name] = " "
    assert list(outputs.figure_faults(moving)) == [f"the picture of 'clock()' has no {name}"]


def test_figure_faults_see_a_picture_that_moves_without_a_caption(moving):
    del moving.cells[-1].metadata["mystnb"]["figure"]
    assert "has no caption" in next(outputs.figure_faults(moving))


def test_figure_faults_see_still_frames_that_cannot_be_decoded(moving):
    moving.cells[-1].outputs[0].data["image/png"] = "iVBORw0KGgoAAAANSUhEUgAAAA=="
    assert "cannot be decoded" in next(outputs.figure_faults(moving))


def test_figure_faults_see_blank_or_missing_still_frames(moving):
    moving.cells[-1].outputs[0].data["image/png"] = BLANK
    assert "is blank" in next(outputs.figure_faults(moving))
    del moving.cells[-1].outputs[0].data["image/png"]
    assert "should show one moving picture, with still frames" in next(outputs.figure_faults(moving))


def test_stale_outputs_see_a_number_of_a_picture_that_moves(moving):
    again = copy.deepcopy(moving)
    again.cells[-1].outputs[0].data[MOVABLE]["tables"] = {"theta": [1.0, 0.1]}
    assert "shows something else when run again" in next(stale_outputs(moving, again))


def test_stale_outputs_see_one_line_moved_and_another_sum(pair, good):
    pair.write_text(pair.read_text().replace("[0, 1]", "[1, 0]").replace("2 + 2", "2 + 3"))
    fresh = notebooks.made_from(notebooks.read_text(pair), pair.parent)
    total, line = stale_outputs(good, fresh)
    assert "- " in total
    assert '"4"' in total
    assert '"5"' in total
    assert "is another one when run again" in line


def test_stale_outputs_see_another_still_frame(moving):
    again = copy.deepcopy(moving)
    again.cells[-1].outputs[0].data["image/png"] = BLANK
    assert "is another one when run again" in next(stale_outputs(moving, again))


def redrawn(good, change):
    again = copy.deepcopy(good)
    data = again.cells[-1].outputs[0].data
    data[DRAWN] = change(data[DRAWN])
    return list(stale_outputs(good, again))


def test_stale_outputs_let_a_drawing_differ_by_a_hair(good):
    """A hundredth of a point more, and the end of a level line, which is no longer level."""
    line = re.search(r'M([\d.]+) [\d.]+h([\d.]+)"', good.cells[-1].outputs[0].data[DRAWN])
    more = f"{float(line[1]) + 0.01:.2f}"
    assert redrawn(good, lambda svg: svg.replace(line[0], line[0].replace(line[1], more))) == []
    assert redrawn(good, lambda svg: svg.replace(line[0], line[0].replace(f"h{line[2]}", f"l{line[2]}-.01"))) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda svg: re.sub(r"M([\d.]+)", lambda m: f"M{float(m[1]) + 0.1}", svg),
        lambda svg: svg.replace("</text>", "0</text>", 1),
        lambda svg: svg.replace("stroke:", "fill:", 1),
        lambda svg: svg.replace("<path", "<path/><path", 1),
    ],
)
def test_stale_outputs_see_another_drawing(good, change):
    (found,) = redrawn(good, change)
    assert "is another one when run again" in found


def test_stale_outputs_see_a_figure_that_went_away(good):
    found = "\n".join(stale_outputs(good, spoiled(good, -1, outputs=[])))
    assert "another number of figures" in found
    assert "something else" in found


def shows(kind, text):
    return nbformat.v4.new_output("display_data", data={kind: text})


def stream(name, text):
    return nbformat.v4.new_output("stream", name=name, text=text)


KINDS = ["plain", "latex", "html", "markdown", "x-new"]
OUTPUTS = {
    **{kind: (shows(f"text/{kind}", "1.00"), shows(f"text/{kind}", "1.01")) for kind in KINDS},
    "jpeg": (shows("image/jpeg", "abcd"), shows("image/jpeg", "abce")),
    "json": (shows("application/json", {"a": 1}), shows("application/json", {"a": 2})),
    "another kind": (shows("text/plain", "1"), shows("text/html", "1")),
    "stdout": (stream("stdout", "one\n"), stream("stdout", "one \n")),
    "stderr": (stream("stderr", "look"), stream("stderr", "look out")),
    "another stream": (stream("stdout", "one"), stream("stderr", "one")),
    "error": (
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[]),
        nbformat.v4.new_output("error", ename="ValueError", evalue="yes", traceback=[]),
    ),
    "an error in place of a text": (
        shows("text/plain", "1"),
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[]),
    ),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_stale_outputs_see_an_output_of_every_kind(good, kind):
    old, new = OUTPUTS[kind]
    same, other = (spoiled(good, 2, outputs=[output]) for output in (old, new))
    assert list(stale_outputs(same, copy.deepcopy(same))) == []
    (found,) = stale_outputs(same, other)
    assert "the cell '2 + 2' shows something else when run again" in found


@pytest.mark.parametrize(("stored", "fresh"), [(1, 0), (0, 1), (1, 2), (2, 1)])
def test_stale_outputs_see_a_missing_and_an_extra_output(good, stored, fresh):
    one = shows("text/plain", "1")
    old, new = (spoiled(good, 2, outputs=[one] * count) for count in (stored, fresh))
    assert len(list(stale_outputs(old, new))) == 1


def test_stale_outputs_see_an_output_of_a_cell_without_code(good):
    fresh = spoiled(good, 2, source="")
    assert len(list(stale_outputs(spoiled(fresh, 2, outputs=[shows("text/plain", "1")]), fresh))) == 1


def test_stale_outputs_see_another_order(good):
    one, two = shows("text/plain", "1"), shows("text/latex", "2")
    old, new = (spoiled(good, 2, outputs=outputs) for outputs in ([one, two], [two, one]))
    assert len(list(stale_outputs(old, new))) == 1


def test_stale_outputs_read_no_paths_of_this_machine(good):
    here, there = (
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[path]) for path in ("/a", "/b")
    )
    assert list(stale_outputs(spoiled(good, 2, outputs=[here]), spoiled(good, 2, outputs=[there]))) == []


def test_address_faults_see_another_repository(good):
    assert "someone/else" in next(form.address_faults(good, "someone/else"))


def test_address_faults_see_a_first_cell_that_the_reader_would_see(good):
    assert "remove-cell" in next(form.address_faults(spoiled(good, 0, metadata={}), "OWNER/REPOSITORY"))


def chapter_of(words, *sources):
    cells = [nbformat.v4.new_markdown_cell("word " * words), *map(nbformat.v4.new_code_cell, sources)]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.mark.parametrize(("words", "fits"), [(999, False), (1000, True), (2400, True), (2401, False)])
def test_length_faults_count_the_words(words, fits):
    assert (list(form.length_faults(chapter_of(words, "x = 1"))) == []) == fits


def test_exercises_are_not_counted():
    notebook = chapter_of(2400)
    notebook.cells.append(nbformat.v4.new_markdown_cell("## Exercises\n\n" + "word " * 500))
    assert list(form.length_faults(notebook)) == []


@pytest.mark.parametrize(
    "noise", ["$$\na b c\n$$", "$a + b$", ":::{note} title\n:class: tip\n:::", "(a-label)=", "{cite}`vaswani2017`"]
)
def test_formulas_and_fences_are_not_words(noise):
    notebook = chapter_of(1200)
    notebook.cells.append(nbformat.v4.new_markdown_cell(noise + "\n\n" + "one more " * 600))
    assert list(form.length_faults(notebook)) == []
    notebook.cells[0].source += " word"
    assert "this one has 2401" in next(form.length_faults(notebook))


def test_words_of_a_link_are_counted_and_its_target_is_not():
    assert form.prose(chapter_of(0)) == ""
    linked = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("[two words](https://example.org/a/b)")])
    assert form.prose(linked).split() == ["[two", "words"]


@pytest.mark.parametrize(
    ("sources", "fault"),
    [
        (["x = 1\n" * 7] * 2 + ["x"], "the median code cell has at most 6 lines; here it has 7"),
        (["x = 1\n" * 21, "x", "x"], "a code cell has at most 20 lines; 'x = 1' has 21"),
        (["x" * 81], "has 81"),
        (["x = 1\n" * 4, "plt.show()"], "1 of 5 do"),
        (["x = 1\n" * 4, "ax.plot(x)"], "1 of 5 do"),
    ],
)
def test_code_faults_see_too_much(sources, fault):
    assert fault in next(form.code_faults(chapter_of(1500, *sources)))


def test_folded_code_that_is_too_wide_is_seen():
    chapter = chapter_of(1500, "x" * 81)
    chapter.cells[-1].metadata.tags = ["hide-cell"]
    assert "has 81" in next(form.width_faults(form.folded_cells(chapter)))
    assert list(form.code_faults(chapter)) == []
    chapter.cells[-1].metadata.tags = []
    assert "has 81" in next(form.code_faults(chapter))


@pytest.mark.parametrize(
    "sources",
    [["x = 1\n" * 6], ["x" * 80], ["x = 1\n" * 20, "x", "x"], ["x = 1\n" * 6] * 3 + ["plt.show()"]],
)
def test_code_faults_pass_code_at_the_limit(sources):
    assert list(form.code_faults(chapter_of(1500, *sources))) == []


@pytest.mark.parametrize(
    "words", ["as GPT-4 does", "the first symbolic proof", "TODO", "a box ends :::", "in 77\n% of texts"]
)
def test_word_faults_see_what_is_never_said(words):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(words)])
    assert len(list(form.word_faults(notebook))) == 1
