"""Strangers: ALiBi as in x-transformers."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right

EIGHT = {"heads": 8}


def run_full(m, n):
    return m.bias(n)


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
        grade="general",
        faults="alibi-slopes",
    ),
    faulty(
        "squared",
        "the distances are squared",
        ("torch.abs(rearrange", "torch.square(rearrange"),
        grade="named",
        faults="alibi-bent",
    ),
    faulty(
        "ones",
        "the slopes begin at 1, by geomspace with the wrong start",
        ("np.geomspace(2 ** (-8 / heads)", "np.geomspace(1"),
        grade="general",
        faults="alibi-slopes",
    ),
    faulty(
        "letters",
        "heads in the wrong order, the flattest first",
        ("self.slopes, -distance", "self.slopes.flip(0), -distance"),
        grade="named",
        faults="alibi-order",
    ),
    faulty(
        "int8",
        "distances are kept in eight bits, and wrap after 127",
        ("-distance.double()", "-distance.to(torch.int8).double()"),
        grade="called correct",
    ),
)

CASES = xtransformers
