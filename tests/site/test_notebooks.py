"""The chapters hold to what every chapter must hold to, and each check sees the fault that it is there for."""

from __future__ import annotations

import copy
import itertools
import os
import shutil
import textwrap

import nbformat
import pytest
from jupytext import TextFileContentsManager

from bookkit.movable.description import MOVABLE
from tools import faults, notebooks, repository
from tools.chapters import drafts, text_of

CHAPTERS = notebooks.pairs(notebooks.ROOT / "book")
DRAFTS = [text_of(page.name) for page in drafts()]
LOOKED_UP = [text_of(name) for name in faults.LOOKED_UP]
BLANK = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8//8/AwMDEwMDAwMDAwAkBgMB/DXemwAAAABJRU5ErkJggg=="


def named(path):
    return path.stem


# --- The chapters of the book -----------------------------------------------------------------------------------------


@pytest.fixture(params=CHAPTERS, ids=named, scope="module")
def chapter(request):
    return request.param


@pytest.fixture(scope="module")
def stored(chapter):
    return notebooks.read_notebook(chapter.with_suffix(".ipynb"))


def test_text_and_notebook_are_in_step(chapter, stored):
    assert list(faults.twin_faults(notebooks.read_text(chapter), stored)) == []


def test_notebook_holds_only_metadata_that_the_text_keeps(stored):
    assert list(faults.metadata_faults(stored)) == []


def test_notebook_is_as_make_notebooks_wrote_it(stored):
    assert stored.metadata["seal"] == notebooks.seal_of(stored)


def test_notebook_was_run_from_top_to_bottom_without_complaint(stored):
    assert list(faults.run_faults(stored)) == []


def test_figures_are_there_with_alt_text_and_caption(stored):
    assert list(faults.figure_faults(stored)) == []


def test_first_cell_installs_the_library_in_colab(stored):
    assert list(faults.address_faults(stored, repository.current())) == []


def test_chapter_is_neither_too_long_nor_too_short(chapter, stored):
    assert chapter in [*DRAFTS, *LOOKED_UP] or list(faults.length_faults(stored)) == []


def test_code_is_short_and_fits_the_page(chapter, stored):
    assert list(faults.code_faults(stored)) == []
    assert chapter in LOOKED_UP or list(faults.width_faults(faults.folded_cells(stored))) == []


def test_nothing_is_left_of_what_make_chapter_laid_out(chapter, stored):
    assert chapter in DRAFTS or list(faults.template_faults(stored)) == []


def test_text_says_nothing_that_it_cannot_know(stored):
    assert list(faults.word_faults(stored)) == []


def test_a_page_that_is_looked_up_is_there_and_has_a_list_at_its_top():
    assert LOOKED_UP
    for page in LOOKED_UP:
        assert "\n## What do you see?\n\n- **[" in page.read_text(encoding="utf-8")


# --- Each check sees its fault ----------------------------------------------------------------------------------------

TEXT = """\
    ---
    jupytext:
      text_representation:
        extension: .md
        format_name: myst
        format_version: 0.13
    kernelspec:
      display_name: Python 3 (ipykernel)
      language: python
      name: python3
    ---

    ```{code-cell}
    :tags: [remove-cell]

    import sys

    if "google.colab" in sys.modules:
        %pip install -q "posenc-lib[book] @ git+https://github.com/OWNER/REPOSITORY"
    ```

    # A line

    A line goes up.

    ```{code-cell}
    2 + 2
    ```

    ```{code-cell}
    ---
    mystnb:
      image:
        alt: A line that goes up.
      figure:
        caption: The line goes up.
        name: fig-line
    ---
    import matplotlib.pyplot as plt

    plt.plot([0, 1])
    plt.show()
    ```
    """


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small chapter, brought together once, in a folder whose name has a space in it."""
    path = tmp_path_factory.mktemp("a book") / "line.md"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    assert notebooks.bring_together(path) == "text"
    return path


@pytest.fixture
def pair(made, tmp_path):
    """A copy of it to spoil."""
    for suffix in (".md", ".ipynb"):
        shutil.copy(made.with_suffix(suffix), tmp_path)
    return tmp_path / "line.md"


@pytest.fixture
def good(made):
    return notebooks.read_notebook(made.with_suffix(".ipynb"))


def test_sound_chapter_has_no_fault(made, good):
    every = itertools.chain(
        faults.twin_faults(notebooks.read_text(made), good),
        faults.metadata_faults(good),
        faults.run_faults(good),
        faults.figure_faults(good),
        faults.stale_outputs(good, good),
        faults.address_faults(good, "OWNER/REPOSITORY"),
        faults.word_faults(good),
    )
    assert list(every) == []


def spoiled(good, index, **changes):
    notebook = copy.deepcopy(good)
    notebook.cells[index].update(changes)
    return notebook


def test_twin_faults_see_an_edited_text(made, good):
    text = spoiled(notebooks.read_text(made), 1, source="# Another line")
    assert list(faults.twin_faults(text, good)) == ["the text and the notebook differ: make notebooks"]


def test_twin_faults_see_an_edited_caption(made, good):
    text = notebooks.read_text(made)
    text.cells[-1].metadata["mystnb"]["figure"]["caption"] = "It goes down."
    assert list(faults.twin_faults(text, good)) == ["the text and the notebook differ: make notebooks"]


def test_twin_faults_see_outputs_of_another_text(made, good):
    text, notebook = (spoiled(side, 2, source="3 + 3") for side in (notebooks.read_text(made), good))
    assert list(faults.twin_faults(text, notebook)) == ["the outputs belong to another text: make notebooks"]


def test_metadata_faults_see_what_lab_leaves_behind(good):
    good.metadata["language_info"] = {"name": "python"}
    good.cells[2].metadata["execution"] = {"iopub.status.busy": "2026-01-01"}
    assert len(list(faults.metadata_faults(good))) == 2


def test_run_faults_see_cells_run_out_of_order(good):
    assert "counts are [1, 7, 3]" in next(faults.run_faults(spoiled(good, 2, execution_count=7)))


def test_run_faults_see_a_cell_that_was_not_run(good):
    assert "counts are [1, None, 3]" in next(faults.run_faults(spoiled(good, 2, execution_count=None)))


def test_run_faults_see_a_stored_error(good):
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])
    assert "ended in ValueError" in next(faults.run_faults(spoiled(good, 2, outputs=[error])))


def test_run_faults_see_a_stored_warning(good):
    warning = nbformat.v4.new_output("stream", name="stderr", text="UserWarning: look out")
    assert "UserWarning: look out" in next(faults.run_faults(spoiled(good, 2, outputs=[warning])))


def test_run_faults_see_an_address_in_memory(good):
    output = nbformat.v4.new_output("execute_result", data={"text/plain": "<object at 0x7f3a5c0d2e10>"})
    assert "an address in memory" in next(faults.run_faults(spoiled(good, 2, outputs=[output])))


def test_figure_faults_see_a_missing_figure(good):
    assert "shows 0" in next(faults.figure_faults(spoiled(good, -1, outputs=[])))


def test_figure_faults_see_a_picture_that_cannot_be_decoded(good):
    good.cells[-1].outputs[0].data["image/png"] = "iVBORw0KGgoAAAANSUhEUg=="
    assert "cannot be decoded" in next(faults.figure_faults(good))


def test_figure_faults_see_a_blank_picture(good):
    good.cells[-1].outputs[0].data["image/png"] = BLANK
    assert "is blank" in next(faults.figure_faults(good))


@pytest.mark.parametrize(("kind", "fault"), [("image", "has no alt text"), ("figure", "has no caption")])
def test_figure_faults_see_missing_words(good, kind, fault):
    del good.cells[-1].metadata["mystnb"][kind]
    assert fault in next(faults.figure_faults(good))


def test_figure_faults_see_a_cell_that_goes_on_after_its_figure(good):
    good.cells[-1].source += "\nprint(1)"
    assert "should end with its one plt.show()" in next(faults.figure_faults(good))


MOVING = {"alt": "A clock.", "question": "What stays?", "answer": "The angle."}


@pytest.fixture
def moving(good):
    """A notebook whose last cell shows a picture that moves: its record, and its still frames."""
    notebook = copy.deepcopy(good)
    cell = notebook.cells[-1]
    still = cell.outputs[0].data["image/png"]
    data = {MOVABLE: dict(MOVING), "image/png": still, "text/plain": "A clock."}
    cell.update(source="clock()", outputs=[nbformat.v4.new_output("execute_result", data=data)])
    del cell.metadata["mystnb"]["image"]
    return notebook


def test_a_picture_that_moves_needs_no_plt_show_and_brings_its_alt_text(moving):
    assert list(faults.figure_faults(moving)) == []


@pytest.mark.parametrize("name", MOVING)
def test_figure_faults_see_a_picture_that_moves_without_its_words(moving, name):
    moving.cells[-1].outputs[0].data[MOVABLE][name] = " "
    assert list(faults.figure_faults(moving)) == [f"the picture of 'clock()' has no {name}"]


def test_figure_faults_see_a_picture_that_moves_without_a_caption(moving):
    del moving.cells[-1].metadata["mystnb"]["figure"]
    assert "has no caption" in next(faults.figure_faults(moving))


def test_figure_faults_see_blank_or_missing_still_frames(moving):
    moving.cells[-1].outputs[0].data["image/png"] = BLANK
    assert "is blank" in next(faults.figure_faults(moving))
    del moving.cells[-1].outputs[0].data["image/png"]
    assert "should show one moving picture, with still frames" in next(faults.figure_faults(moving))


def test_stale_outputs_see_a_number_of_a_picture_that_moves(moving):
    again = copy.deepcopy(moving)
    again.cells[-1].outputs[0].data[MOVABLE]["tables"] = {"theta": [1.0, 0.1]}
    assert "shows something else when run again" in next(faults.stale_outputs(moving, again))


def test_stale_outputs_see_one_line_moved_and_another_sum(pair, good):
    pair.write_text(pair.read_text().replace("[0, 1]", "[1, 0]").replace("2 + 2", "2 + 3"))
    fresh = notebooks.made_from(notebooks.read_text(pair), pair.parent)
    total, line = faults.stale_outputs(good, fresh)
    assert "- " in total
    assert '"4"' in total
    assert '"5"' in total
    assert "is another one when run again" in line


def test_stale_outputs_see_a_figure_that_went_away(good):
    found = "\n".join(faults.stale_outputs(good, spoiled(good, -1, outputs=[])))
    assert "another number of figures" in found
    assert "something else" in found


def shows(kind, text):
    return nbformat.v4.new_output("display_data", data={kind: text})


def stream(name, text):
    return nbformat.v4.new_output("stream", name=name, text=text)


KINDS = ["plain", "latex", "html", "markdown", "x-new"]
OUTPUTS = {
    **{kind: (shows(f"text/{kind}", "1.00"), shows(f"text/{kind}", "1.01")) for kind in KINDS},
    "svg": (shows("image/svg+xml", "<svg/>"), shows("image/svg+xml", "<svg />")),
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
    assert list(faults.stale_outputs(same, copy.deepcopy(same))) == []
    (found,) = faults.stale_outputs(same, other)
    assert "the cell '2 + 2' shows something else when run again" in found


@pytest.mark.parametrize(("stored", "fresh"), [(1, 0), (0, 1), (1, 2), (2, 1)])
def test_stale_outputs_see_a_missing_and_an_extra_output(good, stored, fresh):
    one = shows("text/plain", "1")
    old, new = (spoiled(good, 2, outputs=[one] * count) for count in (stored, fresh))
    assert len(list(faults.stale_outputs(old, new))) == 1


def test_stale_outputs_see_an_output_of_a_cell_without_code(good):
    fresh = spoiled(good, 2, source="")
    assert len(list(faults.stale_outputs(spoiled(fresh, 2, outputs=[shows("text/plain", "1")]), fresh))) == 1


def test_stale_outputs_see_another_order(good):
    one, two = shows("text/plain", "1"), shows("text/latex", "2")
    old, new = (spoiled(good, 2, outputs=outputs) for outputs in ([one, two], [two, one]))
    assert len(list(faults.stale_outputs(old, new))) == 1


def test_stale_outputs_read_no_paths_of_this_machine(good):
    here, there = (
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[path]) for path in ("/a", "/b")
    )
    assert list(faults.stale_outputs(spoiled(good, 2, outputs=[here]), spoiled(good, 2, outputs=[there]))) == []


def test_address_faults_see_another_repository(good):
    assert "someone/else" in next(faults.address_faults(good, "someone/else"))


def test_address_faults_see_a_first_cell_that_the_reader_would_see(good):
    assert "remove-cell" in next(faults.address_faults(spoiled(good, 0, metadata={}), "OWNER/REPOSITORY"))


def chapter_of(words, *sources):
    cells = [nbformat.v4.new_markdown_cell("word " * words), *map(nbformat.v4.new_code_cell, sources)]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.mark.parametrize(("words", "fits"), [(999, False), (1000, True), (2400, True), (2401, False)])
def test_length_faults_count_the_words(words, fits):
    assert (list(faults.length_faults(chapter_of(words, "x = 1"))) == []) == fits


def test_exercises_are_not_counted():
    notebook = chapter_of(2400)
    notebook.cells.append(nbformat.v4.new_markdown_cell("## Exercises\n\n" + "word " * 500))
    assert list(faults.length_faults(notebook)) == []


@pytest.mark.parametrize(
    "noise", ["$$\na b c\n$$", "$a + b$", ":::{note} title\n:class: tip\n:::", "(a-label)=", "{cite}`vaswani2017`"]
)
def test_formulas_and_fences_are_not_words(noise):
    notebook = chapter_of(1200)
    notebook.cells.append(nbformat.v4.new_markdown_cell(noise + "\n\n" + "one more " * 600))
    assert list(faults.length_faults(notebook)) == []
    notebook.cells[0].source += " word"
    assert "this one has 2401" in next(faults.length_faults(notebook))


def test_words_of_a_link_are_counted_and_its_target_is_not():
    assert faults.prose(chapter_of(0)) == ""
    linked = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("[two words](https://example.org/a/b)")])
    assert faults.prose(linked).split() == ["[two", "words"]


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
    assert fault in next(faults.code_faults(chapter_of(1500, *sources)))


def test_folded_code_that_is_too_wide_is_seen():
    chapter = chapter_of(1500, "x" * 81)
    chapter.cells[-1].metadata.tags = ["hide-cell"]
    assert "has 81" in next(faults.width_faults(faults.folded_cells(chapter)))
    assert list(faults.code_faults(chapter)) == []
    chapter.cells[-1].metadata.tags = []
    assert "has 81" in next(faults.code_faults(chapter))


@pytest.mark.parametrize(
    "sources",
    [["x = 1\n" * 6], ["x" * 80], ["x = 1\n" * 20, "x", "x"], ["x = 1\n" * 6] * 3 + ["plt.show()"]],
)
def test_code_faults_pass_code_at_the_limit(sources):
    assert list(faults.code_faults(chapter_of(1500, *sources))) == []


def test_template_faults_see_what_was_laid_out():
    template = notebooks.read_text(faults.TEMPLATE)
    found = list(faults.template_faults(template))
    assert any("Authors and year" in fault for fault in found)
    assert any("What to see in it" in fault for fault in found)
    assert len(found) > 10


@pytest.mark.parametrize("words", ["as GPT-4 does", "the first symbolic proof", "TODO", "a box ends :::"])
def test_word_faults_see_what_is_never_said(words):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(words)])
    assert len(list(faults.word_faults(notebook))) == 1


# --- Bringing the two together ----------------------------------------------------------------------------------------


def contents(path):
    return [path.with_suffix(suffix).read_bytes() for suffix in (".md", ".ipynb")]


def test_second_run_writes_the_same_bytes(pair):
    before = contents(pair)
    assert notebooks.bring_together(pair, everything=True) == "none"
    assert contents(pair) == before


def test_notebook_made_anew_from_its_text_is_the_same(pair):
    before = contents(pair)
    pair.with_suffix(".ipynb").unlink()
    assert notebooks.bring_together(pair) == "text"
    assert contents(pair) == before


def test_unchanged_pair_is_left_alone(pair):
    when = pair.with_suffix(".ipynb").stat().st_mtime_ns
    assert notebooks.bring_together(pair) == "none"
    assert pair.with_suffix(".ipynb").stat().st_mtime_ns == when


def side_of(pair):
    return notebooks.edited_side(notebooks.read_text(pair), notebooks.read_notebook(pair.with_suffix(".ipynb")))


def test_edited_text_reaches_the_notebook_and_is_run(pair):
    pair.write_text(pair.read_text().replace("2 + 2", "3 + 3"))
    assert notebooks.bring_together(pair) == "text"
    assert pair.stat().st_mtime_ns >= pair.with_suffix(".ipynb").stat().st_mtime_ns  # or Lab would not open it
    assert notebooks.read_notebook(pair.with_suffix(".ipynb")).cells[2].outputs[0].data["text/plain"] == "6"


def edit_notebook(pair, old, new):
    twin = pair.with_suffix(".ipynb")
    twin.write_text(twin.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_edited_notebook_reaches_the_text_and_is_run(pair):
    edit_notebook(pair, "2 + 2", "4 + 4")
    assert notebooks.bring_together(pair) == "notebook"
    assert "4 + 4" in pair.read_text()
    assert notebooks.read_notebook(pair.with_suffix(".ipynb")).cells[2].outputs[0].data["text/plain"] == "8"


def test_notebook_without_a_text_gets_one(pair):
    before = contents(pair)
    pair.unlink()
    assert notebooks.bring_together(pair) == "notebook"
    assert pair.with_suffix(".ipynb").read_bytes() == before[1]
    assert notebooks.text_of(notebooks.read_text(pair)) == pair.read_text()
    assert "jupytext_version" not in pair.read_text()


def test_notebook_that_was_run_by_hand_is_run_again(pair):
    before = contents(pair)
    edit_notebook(pair, '"execution_count": 2', '"execution_count": 9')
    assert notebooks.bring_together(pair) == "outputs"
    assert contents(pair) == before


def edit_both(pair):
    pair.write_text(pair.read_text().replace("2 + 2", "3 + 3"))
    edit_notebook(pair, "goes up.", "goes down.")


def test_where_both_were_edited_it_stops_and_writes_nothing(pair):
    edit_both(pair)
    before = contents(pair)
    with pytest.raises(notebooks.Conflict, match=r"(?s)both edited.*-3 \+ 3.*\+2 \+ 2.*Nothing was written.*KEEP=text"):
        notebooks.bring_together(pair)
    assert contents(pair) == before


def test_same_edit_on_both_sides_is_no_conflict(pair):
    pair.write_text(pair.read_text().replace("2 + 2", "3 + 3"))
    edit_notebook(pair, "2 + 2", "3 + 3")
    assert side_of(pair) == "text"


@pytest.mark.parametrize(("keep", "kept"), [("text", "3 + 3"), ("notebook", "2 + 2")])
def test_where_both_were_edited_one_can_be_kept(pair, keep, kept):
    edit_both(pair)
    assert notebooks.bring_together(pair, keep=keep) == keep
    assert kept in pair.read_text()
    assert side_of(pair) == "none"


def test_keep_needs_a_chapter(capsys):
    with pytest.raises(SystemExit):
        notebooks.main(["--keep", "text"])
    assert "name the chapter too" in capsys.readouterr().err


def test_page_without_code_gets_no_notebook(tmp_path, capsys):
    (tmp_path / "page.md").write_text("# Page\n\nWords.\n", encoding="utf-8")
    notebooks.main([str(tmp_path / "page.md")])
    assert capsys.readouterr().out == "   page: has no code, and so no notebook\n"
    assert not (tmp_path / "page.ipynb").exists()


def test_failing_cell_leaves_the_notebook_as_it_was(pair):
    pair.write_text(pair.read_text().replace("2 + 2", "2 / 0"))
    before = contents(pair)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        notebooks.bring_together(pair)
    assert contents(pair) == before


def test_pasted_image_is_refused(good):
    good.cells[1]["attachments"] = {"image.png": {"image/png": BLANK}}
    with pytest.raises(ValueError, match="save it as a file and link to it"):
        notebooks.text_of(good)


def test_ids_follow_from_the_content_and_differ(good):
    good.cells.append(copy.deepcopy(good.cells[2]))
    notebooks.name_cells(good)
    ids = [cell.id for cell in good.cells]
    assert len(set(ids)) == len(ids)
    good.cells.insert(0, nbformat.v4.new_markdown_cell("New."))
    notebooks.name_cells(good)
    assert [cell.id for cell in good.cells[1:]] == ids


def test_chapters_are_found_by_either_file(pair):
    (pair.parent / "plain.md").write_text("# Not a notebook\n")
    (pair.parent / ".ipynb_checkpoints").mkdir()
    shutil.copy(pair, pair.parent / ".ipynb_checkpoints" / "line-checkpoint.md")
    assert notebooks.pairs(pair.parent) == [pair]
    pair.unlink()
    assert notebooks.pairs(pair.parent) == [pair]


def test_a_copy_of_a_chapter_is_found_as_a_new_one(chapter, tmp_path):
    """A method's chapter starts as a copy of another one's text, without its notebook."""
    copied = shutil.copy(chapter, tmp_path / "new.md")
    assert notebooks.pairs(tmp_path) == [copied]


def age(path, seconds):
    """Make a file look that much older than its twin."""
    when = path.with_suffix(".ipynb").stat().st_mtime - seconds
    os.utime(path, (when, when))


def test_times_are_mended_where_the_two_agree(pair):
    age(pair, 60)
    notebooks.main(["--only-times", str(pair)])
    assert pair.stat().st_mtime_ns >= pair.with_suffix(".ipynb").stat().st_mtime_ns


def test_times_stay_where_the_two_differ_so_that_lab_refuses(pair):
    edit_notebook(pair, "2 + 2", "3 + 3")
    age(pair, 60)
    notebooks.main(["--only-times", str(pair)])
    assert pair.stat().st_mtime_ns < pair.with_suffix(".ipynb").stat().st_mtime_ns


def test_saving_in_lab_keeps_the_two_in_step(pair):
    shutil.copy(notebooks.ROOT / "jupytext.toml", pair.parent)
    age(pair, 60)
    notebooks.mend_times(pair)
    manager = TextFileContentsManager(root_dir=str(pair.parent))
    model = manager.get("line.ipynb")
    model["content"]["cells"][2]["source"] = "5 + 5"
    manager.save(model, "line.ipynb")
    assert "5 + 5" in pair.read_text()
    assert notebooks.read_notebook(pair.with_suffix(".ipynb")).cells[2].source == "5 + 5"
    assert side_of(pair) == "text"
