"""Strangers: ALiBi as in BLOOM."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import by_keys

BLOOM = """
def build_alibi_tensor(attention_mask, num_heads, dtype):
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


def bias(n, heads=8):
    return build_alibi_tensor(torch.ones(1, n), heads, torch.float32)
"""
EIGHT = {"heads": 8}
TWELVE = {"told": {"heads": 12}, "ref": {"h": 12}, "run": lambda m, n: by_keys(m.bias(n, 12))}

bloom = family(
    Case(
        name="2.bloom",
        kind="bias",
        source=BLOOM,
        target="bias",
        told=EIGHT,
        run=lambda m, n: by_keys(m.bias(n)),
        ref={"h": 8},
        n=600,
    ),
    right("twelve", "a number of heads that is no power of two", ("heads=8", "heads=12"), **TWELVE),
    right(
        "cumsum",
        "the mask's running sum without - 1: a constant for each head more, which softmax cannot see",
        ("(attention_mask.cumsum(dim=-1) - 1)", "attention_mask.cumsum(dim=-1)"),
    ),
    faulty(
        "step",
        "the extra heads take every power of the finer series in place of every other",
        ("2 * num_remaining_heads, 2, dtype", "num_remaining_heads, dtype"),
        ("heads=8", "heads=12"),
        grade="named",
        faults="alibi-extra-heads",
        **TWELVE,
    ),
    faulty(
        "bf16",
        "the bias is made in bfloat16, as the model",
        ("heads, torch.float32", "heads, torch.bfloat16"),
        grade="named",
        faults="alibi-bias-half",
    ),
    faulty(
        "minus",
        "a minus before the keys' positions: far keys are favoured",
        ("slopes[..., None] * arange_tensor", "-slopes[..., None] * arange_tensor"),
        grade="named",
        faults="alibi-sign",
    ),
    faulty(
        "ceil",
        "the closest power of two is rounded up, and its first slopes are taken",
        ("math.floor(math.log2", "math.ceil(math.log2"),
        ("if closest_power_of_2 != num_heads:", "slopes = slopes[:num_heads]\n    if False:"),
        ("heads=8", "heads=12"),
        grade="named",
        faults="alibi-head-count",
        **TWELVE,
    ),
    faulty(
        "powers",
        "the powers start at 0: the slopes are 1 … 1/128",
        ("arange(1, 1 + closest_power_of_2,", "arange(0, closest_power_of_2,"),
        grade="named",
        faults="alibi-starts-at-1",
    ),
)

CASES = bloom
