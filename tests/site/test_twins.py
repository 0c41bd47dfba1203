"""Text and notebook are brought together: no edit is lost, and what did not change is left alone."""

from __future__ import annotations

import copy
import os
import shutil

import nbformat
import pytest
from jupytext import TextFileContentsManager

from tests.support.small_chapter import BLANK
from tools import notebooks
from tools.book import BOOK, ROOT


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


def test_edited_prose_reaches_the_notebook_and_its_outputs_stay(pair, monkeypatch):
    before = contents(pair)
    pair.write_text(pair.read_text().replace("A line goes up.", "It rises."))
    with monkeypatch.context() as patched:
        patched.delattr(notebooks, "execute")  # nothing is run
        assert notebooks.bring_together(pair) == "text"
    assert b"It rises." in contents(pair)[1]
    pair.write_text(pair.read_text().replace("It rises.", "A line goes up."))
    edit_notebook(pair, '"execution_count": 2', '"execution_count": 9')  # run by hand: its outputs are not taken over
    assert notebooks.bring_together(pair, keep="text") == "text"
    assert contents(pair) == before


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


def test_a_copy_of_a_chapter_is_found_as_a_new_one(tmp_path):
    """A page without a module starts as a copy of another one's text, without its notebook."""
    copied = shutil.copy(BOOK.text_of(BOOK.chapters[0].name), tmp_path / "new.md")
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
    shutil.copy(ROOT / "jupytext.toml", pair.parent)
    age(pair, 60)
    notebooks.mend_times(pair)
    manager = TextFileContentsManager(root_dir=str(pair.parent))
    model = manager.get("line.ipynb")
    model["content"]["cells"][2]["source"] = "5 + 5"
    manager.save(model, "line.ipynb")
    assert "5 + 5" in pair.read_text()
    assert notebooks.read_notebook(pair.with_suffix(".ipynb")).cells[2].source == "5 + 5"
    assert side_of(pair) == "text"
