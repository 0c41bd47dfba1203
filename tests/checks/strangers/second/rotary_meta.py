"""Strangers: complex numbers as in Meta's Llama, with a start for decoding."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import EVEN, pieces, swap

META = """
def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, device=freqs.device)
    freqs = torch.outer(t, freqs).float()
    return torch.polar(torch.ones_like(freqs), freqs)


def reshape_for_broadcast(freqs_cis, x):
    shape = [d if i == 1 or i == x.ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


FREQS_CIS = precompute_freqs_cis(16, 2 * 4096)


def forward(xq, xk, start_pos):
    seqlen = xq.shape[1]
    return apply_rotary_emb(xq, xk, FREQS_CIS[start_pos : start_pos + seqlen])
"""

meta = family(
    Case(
        name="2.meta",
        kind="rotary",
        source=META,
        target="forward",
        told={**EVEN, "axes": "bnhd"},
        run=lambda m, x, y, n: [
            swap(t) for t in pieces(lambda q, k, a, b: m.forward(q, k, a), swap(x), swap(y), dim=1)
        ],
        ref=dict(layout="interleaved"),
    ),
    right(
        "cumulative",
        "phases in float64, as running sums of the frequencies",
        (
            "    freqs = torch.outer(t, freqs).float()\n",
            "    freqs = freqs.double().repeat(end, 1).cumsum(0) - freqs\n",
        ),
        (
            "torch.polar(torch.ones_like(freqs), freqs)",
            "torch.polar(torch.ones_like(freqs), freqs).to(torch.complex64)",
        ),
    ),
    faulty(
        "heads",
        "the second axis is taken for that of the heads: a feature turns by the number of its head",
        ("i == 1 or", "i == 2 or"),
        ("seqlen = xq.shape[1]", "seqlen = xq.shape[2]"),
        grade="named",
        faults="axes-swapped",
    ),
    faulty(
        "conj",
        "the keys are multiplied by the conjugate, as if the inner product did not take it",
        ("xk_ * freqs_cis)", "xk_ * freqs_cis.conj())"),
        grade="named",
        faults="senses-differ",
    ),
    faulty(
        "ahead",
        "queries are one position ahead of the keys",
        (
            "freqs_cis = reshape_for_broadcast(freqs_cis, xq_)",
            "freqs_cis = reshape_for_broadcast(freqs_cis, xq_)\n    step = FREQS_CIS[1]",
        ),
        ("xq_ * freqs_cis)", "xq_ * freqs_cis * step)"),
        grade="named",
        faults="keys-shifted positions-from-1",
    ),
    faulty(
        "theta",
        "the base of another model is left in the defaults: 500,000",
        ("theta=10000.0", "theta=500000.0"),
        grade="named",
        faults="base",
    ),
)

CASES = [*meta]
