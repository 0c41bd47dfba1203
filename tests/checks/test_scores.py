"""Biases, buckets, windows and tables: what is right, what is equivalent, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from posenc_checks import check_bias, check_bucket, check_table, check_window
from posenc_lib.absolute import sinusoidal, sinusoidal_tensor2tensor
from posenc_lib.relative import Alibi, T5Bias, alibi_slopes, t5_bucket, window_index
from tests.checks.corpus import planted
from tests.corpus.checks.planted.edges import buckets_off
from tests.corpus.checks.planted.scores import sines, t5, window


@pytest.mark.parametrize("h", [1, 6, 8, 12])
def test_the_library_s_own(h):
    assert check_bias(Alibi(alibi_slopes(h)), heads=h).ok
    assert check_bias(alibi_slopes(h), heads=h).ok  # slopes alone
    bias = T5Bias(h, bidirectional=False)
    torch.nn.init.normal_(bias.table, generator=torch.Generator().manual_seed(0))
    report = check_bias(bias)
    assert report.ok
    assert report.facts["shape"].startswith("no straight line")


def test_a_constant_for_each_query_is_not_seen():
    n = 30
    keys = alibi_slopes(8)[:, None, None] * torch.arange(n).expand(1, 1, n)
    assert check_bias(keys, heads=8).ok
    assert check_bias(keys + torch.randn(8, n, 1)).ok
    masked = keys + torch.full((n, n), -torch.inf).triu(1)
    assert check_bias(masked, heads=8).ok
    assert check_bias(keys.numpy(), heads=8).ok


def test_slopes_of_a_part_of_the_heads_are_right_on_one_of_several_devices():
    report = check_bias(alibi_slopes(16)[8:])
    assert report.ok
    assert "those of 16 heads, from head 8 on" in report.facts["slopes are"]
    assert check_bias(alibi_slopes(16)[8:], heads=8).faults == ["alibi-head-count"]
    own = torch.tensor([0.3, 0.1])
    assert check_bias(own).facts["slopes are"] == "of no known rule"
    assert check_bias(own, heads=2).faults == ["alibi-slopes"]
    assert check_bias(own, slopes=own).ok


@pytest.mark.parametrize(
    ("bias", "told", "said"),
    [
        (torch.zeros(3, 3, 3), {}, "over 24 tokens at least is needed; got [3, 3, 3]"),
        (lambda apples: apples, {}, "unknown arguments ['apples']"),
        (lambda n: 1 / 0, {}, "called with (n) it ends in ZeroDivisionError"),
        (max, {}, "say how it is called"),
    ],
)
def test_biases_that_cannot_be_read(bias, told, said):
    report = check_bias(bias, **told)
    assert report.ok is None
    assert said in report.unknown[0]


def test_slopes_of_no_known_rule_are_told_apart():
    slopes = [
        each for each in planted("biases") if each.row["fault"] == "alibi-slopes" and each.row["file"] == "scores"
    ]
    said = [each.report().findings[0] for each in slopes]
    assert "to the power of 2:" in said[0].evidence
    assert said[3].evidence == "1 of 8 heads differ, first head 4: 0.0625, not 0.03125"


def test_a_bias_with_nan():
    assert check_bias(torch.full((1, 30, 30), torch.nan)).faults == ["nan"]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_right_buckets(bidirectional):
    for function in (t5_bucket, lambda d, bidirectional: t5(-d, both=bidirectional)):
        report = check_bucket(lambda distances, f=function: f(distances, bidirectional=bidirectional))
        assert report.ok
        assert report.facts["distances"] == "query - key"
    assert check_bucket(lambda d: t5_bucket(d, 64, 256), buckets=64, max_distance=256).ok
    assert check_bucket(lambda d: t5_bucket(d, 64, 256)).faults == ["bucket-sizes"]


def test_an_edge_is_named_with_its_distance():
    report = check_bucket(lambda d: t5_bucket(torch.where(d == 16, 15, d)))
    assert report.faults == ["bucket-edge"]
    assert report.findings[0].smallest == "distance 16: bucket 9, not 10"
    assert report.findings[0].evidence.startswith("1 of 601")


def test_a_few_buckets_that_are_wrong_are_edges_and_many_are_no_rule():
    assert check_bucket(buckets_off(110)).faults == ["bucket-edge"]
    assert check_bucket(buckets_off(130)).ok is None


def test_a_bent_line_is_no_straight_one():
    past = torch.arange(30)[:, None] - torch.arange(30.0)
    for e, shape in ((5e-4, "a straight line"), (3e-3, "no straight line")):
        report = check_bias(-past / 2 - e * 23 / 2 * (past == 11))
        assert report.facts["shape"].startswith(shape)


@pytest.mark.parametrize(("e", "ok"), [(1.5e-3, True), (3e-3, None)])
def test_how_far_a_table_may_be_off(e, ok):
    assert check_table(lambda n, d: sines(n, d) + e).ok is ok


def test_buckets_that_are_none():
    assert check_bucket(lambda d: d % 7).ok is None
    assert "ZeroDivisionError" in check_bucket(lambda d: 1 / 0).unknown[0]


def test_windows():
    for size in ((3, 5), (4, 4), (2, 7)):
        assert check_window(window_index, window=size, order="swin").ok
        assert check_window(window, window=size, order="swin").ok
    swapped = check_window(lambda h, w: window(h, w, swap=True))
    assert swapped.ok
    assert swapped.equivalent[0].startswith("table[[44, 43, 42")
    table = torch.randn(45)
    order = [int(x) for x in range(44, -1, -1)]
    assert torch.equal(table[order][window_index((3, 5))], table[window(3, 5, swap=True)])  # what is printed is true
    assert check_window(lambda h, w: torch.arange((h * w) ** 2).view(h * w, h * w) % 7).faults == ["bias-not-relative"]
    assert "RuntimeError" in check_window(lambda window: torch.zeros(3)).unknown[0]


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_right_tables(layout):
    report = check_table(lambda positions, d: sinusoidal(positions, d, layout=layout), base=1e4, first=0, layout=layout)
    assert report.ok
    assert report.facts["frequencies"] == "base 10,000, exponent 2i/d"
    assert check_table(sinusoidal(torch.arange(50), 16, layout=layout).numpy()).ok
    assert check_table(np.zeros((40, 8))).ok is None
    assert check_table(lambda n, d: 1 / 0).ok is None
    assert check_table(torch.zeros(3)).ok is None


def test_a_table_from_a_module():
    class Table(torch.nn.Module):
        def forward(self, positions, dim=32):
            return sinusoidal(positions, dim)

    assert check_table(Table(), base=1e4).ok


def test_the_other_dialect_is_told_apart():
    dialect = lambda n, d_model: sinusoidal_tensor2tensor(torch.arange(n), d_model)  # noqa: E731
    assert check_table(dialect, exponent="i/(d/2 - 1)", layout="half").ok
    assert check_table(dialect, exponent="2i/d").faults == ["table-dialect"]
    assert check_table(lambda n, d: sines(n, d, base=500_000.0)).facts["frequencies"].startswith("base 500,000")
