"""The needle with more steps: what is asked of a model, and what the table has."""

from __future__ import annotations

from bookkit.runs import rows
from experiments import longer
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.training import Run


def test_a_row_has_the_share_of_right_answers_at_each_length(tmp_path):
    name, seed, *found = longer.row("none", 0, tmp_path, share=1 / 300)
    assert (name, seed, len(found)) == ("none", "0", len(longer.COLUMNS) - 2)
    assert all(0 <= float(right) < 0.5 for right in found)  # two steps teach nothing


def test_it_has_three_times_the_steps_of_the_comparison():
    assert Run("needle", "fox", 0, longer.RATE, longer.SHARE).steps == 1800
    assert set(longer.READINGS) <= {*CONTESTANTS}


def test_the_table_has_five_seeds_of_each():
    found = [(row["reading"], row["seed"]) for row in rows("longer")]
    assert found == [(reading, str(seed)) for reading in longer.READINGS for seed in range(5)]
    assert list(rows("longer")[0]) == [*longer.COLUMNS]
