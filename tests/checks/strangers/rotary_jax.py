"""Strangers: Gemma and GPT-J, after their code for JAX."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, geo, places, swapped

GEMMA = '''
_MAX_WAVELENGTH = 10_000


def apply_rope(inputs, positions, head_dim=16, max_wavelength=_MAX_WAVELENGTH):
    """inputs [B, L, N, H], positions [B, L]"""
    fraction = 2 * torch.arange(0, head_dim // 2) / head_dim
    timescale = max_wavelength**fraction
    sinusoid_inp = positions[..., None] / timescale[None, None, :]
    sinusoid_inp = sinusoid_inp[..., None, :]
    sin = torch.sin(sinusoid_inp)
    cos = torch.cos(sinusoid_inp)
    first_half, second_half = torch.tensor_split(inputs, 2, dim=-1)
    first_part = first_half * cos - second_half * sin
    second_part = second_half * cos + first_half * sin
    out = torch.concatenate([first_part, second_part], dim=-1)
    return out.to(inputs.dtype)
'''


def run_gemma(m, x, y, n):
    return [swapped(m.apply_rope(swapped(x), places(n, 2)))]


gemma = family(
    Case(
        name="gemma",
        kind="rotary",
        source=GEMMA,
        target="apply_rope",
        told={**HALVES, "d": 16, "axes": "bnhd"},
        run=run_gemma,
    ),
    right(
        "linear8",
        "linear interpolation by 8, told as freqs",
        ("positions[..., None] /", "positions[..., None] / 8.0 /"),
        told=dict(base=None, freqs=(geo() / 8).float()),
        ref=dict(freqs=geo() / 8),
    ),
    right(
        "shared_order",
        "output halves exchanged for q and k alike: a C, no fault if nothing is told of the output",
        ("torch.concatenate([first_part, second_part]", "torch.concatenate([second_part, first_part]"),
        run=lambda m, x, y, n: [swapped(m.apply_rope(swapped(x), places(n, 2))).roll(8, -1)],
        told=dict(layout=None, base=None),
    ),
    right(
        "half_dims",
        "the same exponent otherwise",
        (
            "fraction = 2 * torch.arange(0, head_dim // 2) / head_dim",
            "fraction = torch.arange(0, head_dim // 2) / (head_dim // 2)",
        ),
    ),
    faulty(
        "sign",
        "wrong sign in the second half: no rotation",
        ("second_half * cos + first_half * sin", "second_half * cos - first_half * sin"),
        grade="named",
        faults="not-a-rotation",
    ),
    faulty(
        "swap",
        "cosine and sine exchanged (told: position 0 changes nothing)",
        ("first_half * cos - second_half * sin", "first_half * sin - second_half * cos"),
        ("second_half * cos + first_half * sin", "second_half * sin + first_half * cos"),
        grade="named",
        faults="cos-sin-swapped",
        told=dict(first=0),
    ),
    faulty(
        "frac",
        "exponent i/d in place of 2i/d",
        ("fraction = 2 * torch.arange", "fraction = torch.arange"),
        grade="named",
        faults="exponent-d-model",
    ),
    faulty(
        "frac_last",
        "exponent 2i/(d-2): tensor2tensor's timescales in rotary",
        ("2 * torch.arange(0, head_dim // 2) / head_dim", "2 * torch.arange(0, head_dim // 2) / (head_dim - 2)"),
        grade="named",
        faults="exponent-last",
    ),
    faulty(
        "lin_twice",
        "linear interpolation applied twice (positions and frequencies)",
        ("positions[..., None] /", "positions[..., None] / 8.0 / 8.0 /"),
        grade="named",
        faults="scaling-other",
        told=dict(base=None, freqs=(geo() / 8).float()),
        ref=dict(freqs=geo() / 8),
    ),
    faulty(
        "lin_mul",
        "linear scaling multiplies by 8 instead of dividing",
        ("positions[..., None] /", "positions[..., None] * 8.0 /"),
        grade="named",
        faults="scaling-inverse",
        told=dict(base=None, freqs=(geo() / 8).float()),
        ref=dict(freqs=geo() / 8),
    ),
    faulty(
        "theta_odd",
        "pairs counted from 1: i+1 in the exponent (first frequency is not 1)",
        ("torch.arange(0, head_dim // 2)", "torch.arange(1, head_dim // 2 + 1)"),
        grade="named",
        faults="exponent-from-1",
    ),
    faulty(
        "int_pos",
        "angle rounded down to whole radians (integer division)",
        ("positions[..., None] / timescale", "positions[..., None] // timescale"),
        grade="general",
        faults="angles-wrong",
    ),
)

GPTJ = '''
def fixed_pos_embedding(x, seq_dim=0):
    dim = x.shape[-1]
    inv_freq = 1. / (10000 ** (np.arange(0, dim, 2) / dim))
    sinusoid_inp = np.einsum('i , j -> i j', np.arange(x.shape[seq_dim]), inv_freq)
    return torch.from_numpy(np.sin(sinusoid_inp)).float(), torch.from_numpy(np.cos(sinusoid_inp)).float()


def rotate_every_two(x):
    x1 = x[:, :, ::2]
    x2 = x[:, :, 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return rearrange(x, '... d j -> ... (d j)')


def apply_rotary_pos_emb(x, sincos):
    sin, cos = map(lambda t: repeat(t, 'b n -> b (n j)', j=2)[-x.shape[0]:, None, :], sincos)
    return (x * cos) + (rotate_every_two(x) * sin)


def rotate_tokens(x):
    """[tokens, heads, features], from position 0"""
    return apply_rotary_pos_emb(x, fixed_pos_embedding(x))
'''


def run_gptj(m, x, y, n):
    return [m.rotate_tokens(x[0].transpose(0, 1)).transpose(0, 1)[None].expand_as(x)]


gptj = family(
    Case(
        name="gptj",
        kind="rotary",
        source=GPTJ,
        target="rotate_tokens",
        told={**NEIGHBOURS, "d": 16, "axes": "nhd"},
        run=run_gptj,
        ref=dict(layout="interleaved", same=True),
    ),
    faulty(
        "jn",
        "sin and cos repeated for halves, rotate_every_two for neighbours: layouts mixed",
        ("'b n -> b (n j)'", "'b n -> b (j n)'"),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "dj",
        "the rotated partner is written in the order of halves: layouts mixed",
        ("'... d j -> ... (d j)'", "'... d j -> ... (j d)'"),
        grade="named",
        faults="partners-differ",
    ),
    faulty(
        "order",
        "partner not exchanged: each feature is mixed with itself",
        ("torch.stack((-x2, x1), dim=-1)", "torch.stack((x1, -x2), dim=-1)"),
        grade="general",
        faults="not-a-rotation",
    ),
    faulty(
        "names",
        "sin and cos unpacked in the wrong order (told: position 0 changes nothing)",
        ("sin, cos = map", "cos, sin = map"),
        grade="named",
        faults="cos-sin-swapped",
        told=dict(first=0),
    ),
)

CASES = [*gemma, *gptj]
