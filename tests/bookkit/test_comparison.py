"""What the tables of the comparison say is decided as stated."""

from __future__ import annotations

import pytest

from bookkit import comparison
from bookkit.comparison import COLUMNS, PAIRS


@pytest.fixture
def tables(tmp_path):
    def row(task, reading, seed, times, value, chosen="yes", measure=None):
        measure = measure or ("loss" if task == "text" else "accuracy")
        about = [task, reading, seed, 1e-3, 1.0, chosen, "trained", times, reading, measure, value, "a machine"]
        return ",".join(map(str, about))

    lines = {
        "copy": [row("copy", "alibi", s, t, v) for s, t, v in
                 [(0, 1, 1.0), (1, 1, 0.9), (0, 8, 0.9), (1, 8, 0.8), (2, 1, 0.0)][:4]]
        + [row("copy", "alibi", 9, 1, 0.1, chosen="no"), row("copy", "alibi", 9, 1, 0.1, measure="loss")],
        "text": [row("text", "near", 0, 1, 1.5), row("text", "near", 0, 8, 1.59), row("text", "far", 0, 1, 2.5),
                 row("text", "far", 0, 8, 2.61), row("text", PAIRS, 0, 1, 2.4)],
    }  # fmt: skip
    for task, its in lines.items():
        (tmp_path / f"{task}.csv").write_text("\n".join([",".join(COLUMNS), *its]) + "\n")
    return tmp_path


def test_numbers_are_of_the_chosen_rate_and_of_one_measure(tables):
    assert comparison.numbers("copy", folder=tables) == {"alibi": {1: {0: 1.0, 1: 0.9}, 8: {0: 0.9, 1: 0.8}}}
    assert comparison.numbers("copy", "loss", tables) == {"alibi": {1: {9: 0.1}}}
    assert comparison.numbers("needle", folder=tables) == {}


def test_learned_and_kept_are_decided_on_the_mean(tables):
    assert comparison.learned("copy", "alibi", tables)
    assert not comparison.holds("copy", "alibi", tables)
    assert comparison.learned("text", "near", tables)
    assert comparison.holds("text", "near", tables)
    assert not comparison.learned("text", "far", tables)
    assert not comparison.holds("text", "far", tables)


def test_the_curve_has_a_row_for_each_seed(tables):
    text = tables / "text.csv"
    row = "text,near,{s},0.001,1.0,yes,trained,8,near,loss in {i}/32,{value},a machine"
    parts = [row.format(s=s, i=i, value=s + i / 100) for s in (0, 1) for i in range(1, 33)]
    text.write_text(text.read_text() + "\n".join(parts) + "\n")
    assert comparison.curve("near", tables) == [[s + i / 100 for i in range(1, 33)] for s in (0, 1)]


def test_sign_flips_are_counted_exactly():
    assert comparison.sign_flip([1.0, 2.0, 3.0]) == 2 / 8
    assert comparison.sign_flip([1.0] * 5) == 2 / 32
    assert comparison.sign_flip([1.0, -1.0]) == 1.0
    assert comparison.sign_flip([3.0, -1.0, 1.0]) == 6 / 8


@pytest.mark.parametrize("task", ["text", "copy", "words", "needle"])
def test_something_was_expected_of_each_reading(task):
    from experiments.contestants import RESCALED, TRAINED

    assert set(comparison.predictions(task)) == {*TRAINED, *RESCALED}
