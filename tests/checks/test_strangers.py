"""The strangers' code is what it is said to be, and the checker says of it what its row says."""

from __future__ import annotations

import warnings
from math import isnan

import pytest
import torch

from tests.checks import formulas
from tests.checks.corpus import Case, cases, styles
from tools.book.verdicts import NOTICED, SETS

SAID = dict.fromkeys((*NOTICED, "accused"), False) | {"correct": True, "cannot tell": None}
"""The checker's verdict. How good the name of a fault is, a person has judged: other names need a new judgement."""
of_each_kind = pytest.mark.parametrize("kind", ["bias", "bucket", "rotary", "table", "window"])
in_each_set = pytest.mark.parametrize("name", SETS)


@pytest.fixture(autouse=True)
def one_thread():
    """The texts are small: more threads only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what strangers' code warns of is theirs
        yield
    torch.set_num_threads(threads)


def distance(case: Case) -> float:
    """The largest difference from the formula; nan, which no bound holds for, where the code gives nan."""
    told = case.named("formula", case.load())
    pairs = rotated(case, **told) if case.kind == "rotary" else [(case.called(), ours(case, told))]
    return max(apart(case, torch.as_tensor(theirs).double(), formula) for theirs, formula in pairs)


def apart(case: Case, theirs: torch.Tensor, formula: torch.Tensor) -> float:
    assert theirs.shape == formula.shape, case.name
    seen = formula.isfinite()  # a bias has no formula for the keys that a causal mask hides
    return float((theirs - formula)[seen].abs().max())


def rotated(case: Case, wide: int = 1, same: bool = False, **told):
    """Where the call of a code repeats the features (`wide`) or the first sample (`same`), the formula does so, too."""
    inputs = torch.randn(2, 2, 3, case.n, 16, generator=torch.Generator().manual_seed(0))
    for theirs, x in zip(case.called(*inputs), inputs, strict=False):
        x = (x[:1].expand_as(x) if same else x).repeat(1, 1, 1, wide)
        yield theirs, formulas.rotary(x, **told)


def ours(case: Case, told: dict) -> torch.Tensor:
    return getattr(formulas, case.kind)(*[case.n] * (case.kind in ("bias", "table")), **told)


@in_each_set
def test_each_style_has_rows(name):
    assert {case.name.partition(".")[0] for case in cases(name)} == {*styles(name)}


@in_each_set
@of_each_kind
def test_right_ones_follow_the_formula_and_faults_do_not(name, kind):
    far = {case: distance(case) for case in cases(name) if case.kind == kind}
    follows = {True: lambda d: d < 3e-3, False: lambda d: d > 1e-3 or isnan(d)}
    wrong = [f"{case.name} is {d:.2g} from the formula" for case, d in far.items() if not follows[case.right](d)]
    assert not wrong, "\n".join(wrong)


@in_each_set
@of_each_kind
def test_the_checker_says_what_is_recorded(name, kind):
    wrong = []
    for case in (case for case in cases(name) if case.kind == kind):
        report, recorded = case.report(), (SAID[case.row["said"]], case.row["faults"])
        if (said := (report.ok, " ".join(report.faults))) != recorded:
            wrong.append(f"{case.name}: ok and the faults are {said}, and not {recorded}")
    assert not wrong, "\n".join(wrong)
