"""What pages tell of the sealed runs, case by case: tests/corpus/practice/measured.tsv, one number or verdict a line.

A line has what is asked, of what, and the answer; a function of this file answers. The runs are sealed, so an answer
changes only with a rule. The pages' own tables are printed by their cells.
"""

from __future__ import annotations

import csv
from collections import Counter
from statistics import mean

from bookkit.pages import larger, runs
from bookkit.pages.runs import NAMES, SCALED, holds, rows, values
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.judging import failing
from tools.book import ROOT

CORPUS = ROOT / "tests" / "corpus" / "practice" / "measured.tsv"
GROUPS = {"all": list(NAMES), "scaled": list(SCALED)}
GROUPS |= {
    f"{word} seeds": [name for name in NAMES if name not in SCALED and len(values("text", name, 1)) == seeds]
    for word, seeds in (("ten", 10), ("five", 5))
}
GROUPS["trained"] = GROUPS["ten seeds"] + GROUPS["five seeds"]


def names(found) -> str:
    return ", ".join(sorted(found)) or "nobody"


def table(name: str, **asked: str) -> list[dict[str, str]]:
    return [row for row in rows(name) if asked.items() <= row.items()]


# --- What can be asked ------------------------------------------------------------------------------------------------


def its_mean(task, reading, at):
    return f"{mean(values(task, reading, at)):.2f}"


def its_rise(task, reading):
    return f"{mean(values(task, reading, 8)) - mean(values(task, reading, 1)):.2f}"


def least_of_its_seeds(task, reading, at):
    return f"{min(values(task, reading, at)):.3f}"


def changed(task, reading, what, times):
    found = runs.changed(task, reading, what, int(times))
    assert len(found) == len(values(task, reading, 1))
    return f"{mean(found):.2f}"


def at_byte(reading, place):
    return f"{mean(part[int(place) - 1] for part in runs.curve(reading)):.2f}"


def holding(task, reading):
    return holds(task, reading).said


def good_seeds(task, reading):
    return str(holds(task, reading).good)


def learned(task, reading):
    return str(runs.learned(task, reading))


def who_holds(task, said, group):
    return names(name for name in GROUPS[group] if holds(task, name).said == said)


def who_learned(task, said, group):
    return names(name for name in GROUPS[group] if runs.learned(task, name).said == said)


def how_many_hold(task, group):
    return " ".join(
        f"{n} {said}" for said, n in sorted(Counter(holds(task, name).said for name in GROUPS[group]).items())
    )


def with_half_a_nat_more(said):
    """Who holds in text if half a nat were allowed, beyond those who hold anyway."""

    def looser(name):
        both = zip(values("text", name, 1), values("text", name, 8), strict=True)
        return runs.verdict(near + 0.5 - far for near, far in both).said

    asked = [name for name in NAMES if holds("text", name).said != "not asked"]
    return names(name for name in asked if looser(name) == said != holds("text", name).said)


def worst_of_those_that_hold_in_text(group, times):
    return max(who_holds("text", "yes", group).split(", "), key=lambda name: mean(values("text", name, times)))


def pair(task, times, one, other):
    asked = (task, int(times), one, other)
    planned = runs.planned_pairs()
    shown = runs.holm({pair: its.p for pair, its in planned.items()})[asked]
    (row,) = table("pairs", task=task, times=times, one=one, other=other)
    as_expected = "as expected" if planned[asked].sign == row["expected"] else "against expectation"
    return f"{planned[asked].sign}, {as_expected}" if shown else "not shown"


def its_difference(task, times, one, other):
    return f"{mean(runs.planned_pairs()[task, int(times), one, other].differences):.2f}"


def causes(reading, said):
    return str(len(table("causes", contestant=reading, answer=said)))


def hits(tasks, blind):
    """Right, right by saying "falls" each time, judged, and asked."""
    found = runs.hits(
        runs.TASKS if tasks == "all" else tasks.split(" and "), runs.BLIND[: len(runs.BLIND) - int(blind)]
    )
    return ", ".join(map(str, found))


def who_learns_as_predicted(said, found):
    own = [row for row in rows("predictions") if row["reading"] == row["owner"] and row["learned"] == said]
    return str(sum(runs.learned(row["task"], row["reading"]).said == found for row in own))


def larger_holds(reading):
    return larger.row(reading)["holds"]


def larger_rise(reading):
    both = zip(larger.losses(reading, 1), larger.losses(reading, 8), strict=True)
    return f"{mean(far - near for near, far in both):.2f}"


def best_larger():
    return larger.ranked()[0]


def size(of):
    return {
        "readings": lambda: str(len(NAMES)),
        "pairs": lambda: str(len(rows("pairs"))),
        "predictions": lambda: str(len(rows("predictions"))),
        "trained models": lambda: str(len(CONTESTANTS)),
        "with ten seeds": lambda: str(sum(its.seeds == 10 for its in CONTESTANTS.values())),
        "most parameters, tiny": lambda: f"{max(int(row['parameters']) for row in rows('cells')):,}",
        "millions of parameters, larger": lambda: names(
            {f"{float(row['value']) / 1e6:.1f}" for row in table("larger", measure="parameters")}
        ),
        "seeds, longer": lambda: names({str(len(values("longer", row["reading"], 8))) for row in rows("longer")}),
        "seeds, larger": lambda: names({str(len(larger.losses(name, 8))) for name in larger.READINGS}),
    }[of]()


def may_fail_though_all_were_good(seeds):
    return f"{failing(int(seeds)):.0%}"


def seeds_that_a_pair_needs():
    return str(next(n for n in range(1, 13) if 2 / 2**n <= runs.LEVEL / len(rows("pairs"))))


def cases() -> list[dict[str, str]]:
    with CORPUS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def answer(case: dict[str, str]) -> str:
    arguments = case["of"].split("; ") if case["of"] else []
    return globals()[case["asked"].replace(" ", "_")](*arguments)


def test_each_case_has_its_answer():
    wrong = [f"{case['asked']}: {case['of']}: {found}" for case in cases() if (found := answer(case)) != case["answer"]]
    assert not wrong, "\n".join(wrong)
