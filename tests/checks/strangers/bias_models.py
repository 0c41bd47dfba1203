"""Strangers: ALiBi in Bloom, MPT and x-transformers."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import alibi_ref

bloom = family(
    Case(
        name="bloom",
        kind="bias",
        source="""
def build_alibi_tensor(attention_mask, num_heads, dtype=torch.float32):
    batch_size, seq_length = attention_mask.shape
    closest_power_of_2 = 2 ** math.floor(math.log2(num_heads))
    base = torch.tensor(2 ** (-(2 ** -(math.log2(closest_power_of_2) - 3))), dtype=torch.float32)
    powers = torch.arange(1, 1 + closest_power_of_2, dtype=torch.int32)
    slopes = torch.pow(base, powers)
    if closest_power_of_2 != num_heads:
        extra_base = torch.tensor(2 ** (-(2 ** -(math.log2(2 * closest_power_of_2) - 3))), dtype=torch.float32)
        num_remaining_heads = min(closest_power_of_2, num_heads - closest_power_of_2)
        extra_powers = torch.arange(1, 1 + 2 * num_remaining_heads, 2, dtype=torch.int32)
        slopes = torch.cat([slopes, torch.pow(extra_base, extra_powers)], dim=0)
    arange_tensor = ((attention_mask.cumsum(dim=-1) - 1) * attention_mask)[:, None, :]
    alibi = slopes[..., None] * arange_tensor
    return alibi.reshape(batch_size * num_heads, 1, seq_length).to(dtype)


def bloom_bias(num_heads, seq_length):
    mask = torch.ones(1, seq_length, dtype=torch.long)
    return build_alibi_tensor(mask, num_heads)
""",
        target="bloom_bias",
        told=dict(heads=12, call="heads n"),
        run=lambda m, n: (lambda b: b - b.transpose(1, 2))(m.bloom_bias(12, n).expand(12, n, n)),
        ref=dict(h=12, keyonly=True),
        n=500,
    ),
    faulty(
        "powers",
        "powers from 0: first slope 1",
        ("torch.arange(1, 1 + closest_power_of_2, dtype", "torch.arange(0, closest_power_of_2, dtype"),
        grade="named",
        faults="alibi-starts-at-1",
    ),
    faulty(
        "extra_base",
        "extra heads get the base of the first ones",
        ("math.log2(2 * closest_power_of_2) - 3", "math.log2(closest_power_of_2) - 3"),
        grade="named",
        faults="alibi-extra-heads",
    ),
    faulty(
        "extra_step",
        "extra powers 1, 2, 3, in place of 1, 3, 5",
        ("torch.arange(1, 1 + 2 * num_remaining_heads, 2, dtype", "torch.arange(1, 1 + num_remaining_heads, dtype"),
        grade="named",
        faults="alibi-extra-heads",
    ),
    faulty(
        "minus",
        "sign wrong: earlier keys are preferred",
        ("alibi = slopes[..., None] * arange_tensor", "alibi = -slopes[..., None] * arange_tensor"),
        grade="named",
        faults="alibi-sign",
    ),
)

mpt = family(
    Case(
        name="mpt",
        kind="bias",
        source="""
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
    slopes = gen_slopes(n_heads, alibi_bias_max)
    return alibi_bias * slopes


def mpt(n_heads, seq_len):
    return build_alibi_bias(n_heads, seq_len)[0]


def mpt_full(n_heads, seq_len):
    return build_alibi_bias(n_heads, seq_len, full=True)[0]
""",
        target="mpt",
        told=dict(heads=12),
        run=lambda m, n: (lambda b: b - b.transpose(1, 2))(m.mpt(12, n).expand(12, n, n)),
        ref=dict(h=12, keyonly=True),
        n=500,
    ),
    right("full", "full bias", target="mpt_full", ref=dict(keyonly=False), run=lambda m, n: m.mpt_full(12, n)),
    faulty(
        "unsorted",
        "12 heads: first 12 of the slopes for 16",
        ("torch.concat([slopes[1::2], slopes[::2]])[:n_heads]", "slopes[:n_heads]"),
        grade="named",
        faults="alibi-head-count",
    ),
    faulty(
        "order",
        "12 heads: even and odd slopes in the wrong order",
        ("torch.concat([slopes[1::2], slopes[::2]])", "torch.concat([slopes[::2], slopes[1::2]])"),
        grade="named",
        faults="alibi-extra-heads",
    ),
    faulty(
        "biasmax",
        "slopes fall to 2^-16, not 2^-8",
        ("alibi_bias_max=8", "alibi_bias_max=16"),
        grade="named",
        faults="alibi-slopes",
    ),
    faulty(
        "offbyone",
        "distances halved by integer division: neighbouring keys in twos",
        (
            "torch.arange(1 - seq_len, 1, dtype=torch.int32).view(1, 1, 1, seq_len)",
            "torch.arange(-seq_len, 0, dtype=torch.int32).view(1, 1, 1, seq_len) // 2",
        ),
        grade="general",
        faults="bias-not-relative",
    ),
)


def padded(b, n):
    full = alibi_ref(12, n)
    full[:, n - b.shape[1] :, :] = b.double()
    return full


lucid_alibi = family(
    Case(
        name="lucid_alibi",
        kind="bias",
        source="""
class AlibiPositionalBias(nn.Module):
    def __init__(self, heads, total_heads=None):
        super().__init__()
        self.heads = heads
        slopes = torch.Tensor(self._get_slopes(heads))
        slopes = rearrange(slopes, 'h -> h 1 1')
        self.register_buffer('slopes', slopes, persistent=False)

    @staticmethod
    def _get_slopes(heads):
        def get_slopes_power_of_2(n):
            start = (2**(-2**-(math.log2(n)-3)))
            ratio = start
            return [start*ratio**i for i in range(n)]

        if math.log2(heads).is_integer():
            return get_slopes_power_of_2(heads)
        closest_power_of_2 = 2 ** math.floor(math.log2(heads))
        more = get_slopes_power_of_2(2 * closest_power_of_2)[0::2][:heads-closest_power_of_2]
        return get_slopes_power_of_2(closest_power_of_2) + more

    def forward(self, i, j):
        i_arange = torch.arange(j - i, j)
        j_arange = torch.arange(j)
        bias = -torch.abs(rearrange(j_arange, 'j -> 1 1 j') - rearrange(i_arange, 'i -> 1 i 1'))
        return bias * self.slopes


alibi = AlibiPositionalBias(12)
""",
        target="alibi",
        told=dict(heads=12),
        run=lambda m, n: m.alibi(n, n),
        ref=dict(h=12),
        n=500,
    ),
    faulty(
        "iarange",
        "with a cache (i < j) the queries count from 0, not from j - i",
        ("i_arange = torch.arange(j - i, j)", "i_arange = torch.arange(i)"),
        grade="called correct",
        run=lambda m, n: padded(m.alibi(n - 5, n), n),
    ),
    faulty(
        "square",
        "bias falls with the square of the distance",
        ("bias * self.slopes", "bias * bias.abs() * self.slopes / 8"),
        grade="named",
        faults="alibi-bent",
    ),
)

CASES = [*bloom, *mpt, *lucid_alibi]
