"""Strangers: ALiBi as in MPT."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import by_keys

EIGHT = {"heads": 8}
MPT = """
def gen_slopes(n_heads, alibi_bias_max=8):
    _n_heads = 2 ** math.ceil(math.log2(n_heads))
    m = torch.arange(1, _n_heads + 1, dtype=torch.float32)
    m = m.mul(alibi_bias_max / _n_heads)
    slopes = 1.0 / torch.pow(2, m)
    if _n_heads != n_heads:
        slopes = torch.concat([slopes[1::2], slopes[::2]])[:n_heads]
    return slopes.view(1, n_heads, 1, 1)


def build_alibi_bias(n_heads, seq_len, full=False, alibi_bias_max=8):
    alibi_bias = torch.arange(1 - seq_len, 1, dtype=torch.int32).view(1, 1, 1, seq_len)
    if full:
        alibi_bias = alibi_bias - torch.arange(1 - seq_len, 1, dtype=torch.int32).view(1, 1, seq_len, 1)
        alibi_bias = alibi_bias.abs().mul(-1)
    return alibi_bias * gen_slopes(n_heads, alibi_bias_max)


def bias(seq_len, n_heads=8):
    return build_alibi_bias(n_heads, seq_len, full=True)[0]
"""


def run_full(m, n):
    return m.bias(n)


mpt = family(
    Case(name="2.mpt", kind="bias", source=MPT, target="bias", told=EIGHT, run=run_full, ref={"h": 8}, n=300),
    right(
        "twelve",
        "twelve heads: the slopes of sixteen in another order, of which the first twelve are Press's",
        ("n_heads=8", "n_heads=12"),
        told={"heads": 12},
        ref={"h": 12},
    ),
    right(
        "keys",
        "keys alone, counted back from the last",
        ("full=True", "full=False"),
        run=lambda m, n: by_keys(m.bias(n)),
    ),
    faulty(
        "order",
        "the two halves of the slopes are put together in the wrong order",
        ("[slopes[1::2], slopes[::2]]", "[slopes[::2], slopes[1::2]]"),
        ("n_heads=8", "n_heads=12"),
        grade="named",
        faults="alibi-extra-heads",
        told={"heads": 12},
        ref={"h": 12},
    ),
    faulty(
        "max",
        "alibi_bias_max is 16",
        ("full=False, alibi_bias_max=8", "full=False, alibi_bias_max=16"),
        grade="named",
        faults="alibi-slopes",
    ),
    faulty(
        "lastkey",
        "distances are counted from the first key for all queries alike: far keys are favoured",
        ("view(1, 1, seq_len, 1)", "view(1, 1, seq_len, 1)[:, :, :1]"),
        grade="general",
        faults="alibi-sign",
        run=lambda m, n: by_keys(m.bias(n)),
    ),
    faulty(
        "divided",
        "distances are divided by the slopes",
        ("alibi_bias * gen_slopes", "alibi_bias / gen_slopes"),
        grade="named",
        faults="alibi-slopes",
    ),
)

CASES = mpt
