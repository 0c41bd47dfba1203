"""Strangers: ALiBi as in MPT and x-transformers."""

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
        grade="?",
        told={"heads": 12},
        ref={"h": 12},
    ),
    faulty("max", "alibi_bias_max is 16", ("full=False, alibi_bias_max=8", "full=False, alibi_bias_max=16"), grade="?"),
    faulty(
        "lastkey",
        "distances are counted from the first key for all queries alike: far keys are favoured",
        ("view(1, 1, seq_len, 1)", "view(1, 1, seq_len, 1)[:, :, :1]"),
        grade="?",
        run=lambda m, n: by_keys(m.bias(n)),
    ),
    faulty(
        "divided",
        "distances are divided by the slopes",
        ("alibi_bias * gen_slopes", "alibi_bias / gen_slopes"),
        grade="?",
    ),
)

XTRANSFORMERS = """
class AlibiPositionalBias(nn.Module):
    def __init__(self, heads=8):
        super().__init__()
        self.register_buffer("slopes", torch.tensor(np.geomspace(2 ** (-8 / heads), 2**-8, heads)), persistent=False)

    def forward(self, i, j):
        i_arange = torch.arange(j - i, j)
        j_arange = torch.arange(j)
        distance = torch.abs(rearrange(j_arange, "j -> 1 j") - rearrange(i_arange, "i -> i 1"))
        return einsum("h,ij->hij", self.slopes, -distance.double())


alibi = AlibiPositionalBias()


def bias(n):
    return alibi(n, n)
"""

xtransformers = family(
    Case(
        name="2.xalibi", kind="bias", source=XTRANSFORMERS, target="bias", told=EIGHT, run=run_full, ref={"h": 8}, n=300
    ),
    right(
        "masked",
        "with the causal mask: what lies ahead is minus infinity",
        (
            "return alibi(n, n)",
            "return alibi(n, n).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float('-inf'))",
        ),
    ),
    right(
        "squares",
        "distances by the root of squares, slopes by cumulated products of the first",
        ("torch.abs(rearrange", "torch.square(rearrange"),
        ("-distance.double())", "-distance.double().sqrt())"),
        (
            "torch.tensor(np.geomspace(2 ** (-8 / heads), 2**-8, heads))",
            "torch.full((heads,), 2.0 ** (-8 / heads)).cumprod(0).double()",
        ),
    ),
    faulty(
        "linear",
        "the slopes are spaced evenly in place of geometrically",
        ("np.geomspace", "np.linspace"),
        grade="?",
    ),
    faulty("squared", "the distances are squared", ("torch.abs(rearrange", "torch.square(rearrange"), grade="?"),
    faulty(
        "ones",
        "the slopes begin at 1, by geomspace with the wrong start",
        ("np.geomspace(2 ** (-8 / heads)", "np.geomspace(1"),
        grade="?",
    ),
    faulty(
        "letters",
        "heads in the wrong order, the flattest first",
        ("self.slopes, -distance", "self.slopes.flip(0), -distance"),
        grade="?",
    ),
    faulty(
        "int8",
        "distances are kept in eight bits, and wrap after 127",
        ("-distance.double()", "-distance.to(torch.int8).double()"),
        grade="?",
    ),
)

CASES = [*mpt, *xtransformers]
