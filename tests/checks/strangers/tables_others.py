"""Strangers: sinusoids in NumPy, in loops, and with cosines first."""

from __future__ import annotations

import numpy as np
import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.formulas import SINES

jadore = family(
    Case(
        name="jadore",
        kind="table",
        source='''
def get_sinusoid_encoding_table(n_position, d_hid=32):
    """Sinusoid position encoding table, with numpy"""

    def get_position_angle_vec(position):
        return [position / np.power(10000, 2 * (hid_j // 2) / d_hid) for hid_j in range(d_hid)]

    sinusoid_table = np.array([get_position_angle_vec(pos_i) for pos_i in range(n_position)])
    sinusoid_table[:, 0::2] = np.sin(sinusoid_table[:, 0::2])
    sinusoid_table[:, 1::2] = np.cos(sinusoid_table[:, 1::2])
    return torch.FloatTensor(sinusoid_table)
''',
        target="get_sinusoid_encoding_table",
        told={**SINES, "layout": "interleaved"},
        run=lambda m, n: m.get_sinusoid_encoding_table(n),
    ),
    faulty(
        "floor",
        "exponent 2j/d with j the feature: falls too fast, and cosine has its own exponent",
        ("2 * (hid_j // 2) / d_hid", "2 * hid_j / d_hid"),
        grade="named",
        faults="table-cos-exponent table-exponent-doubled",
    ),
    faulty(
        "no_floor",
        "exponent j/d: cosine has its own exponent",
        ("2 * (hid_j // 2) / d_hid", "hid_j / d_hid"),
        grade="named",
        faults="table-cos-exponent",
    ),
    faulty(
        "slice",
        "cosine taken of what are already sines (overwritten)",
        (
            "sinusoid_table[:, 1::2] = np.cos(sinusoid_table[:, 1::2])",
            "sinusoid_table[:, 1::2] = np.cos(sinusoid_table[:, 0::2])",
        ),
        grade="named",
        faults="table-overwritten",
    ),
)

whisper = family(
    Case(
        name="whisper",
        kind="table",
        source='''
def sinusoids(length, channels=32, max_timescale=10000):
    """Returns sinusoids for positional embedding"""
    assert channels % 2 == 0
    log_timescale_increment = np.log(max_timescale) / (channels // 2 - 1)
    inv_timescales = torch.exp(-log_timescale_increment * torch.arange(channels // 2))
    scaled_time = torch.arange(length)[:, np.newaxis] * inv_timescales[np.newaxis, :]
    return torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)
''',
        target="sinusoids",
        told=dict(d=32),
        run=lambda m, n: m.sinusoids(n),
        ref=dict(layout="half", exponent="x"),
        words="nothing told",
    ),
    faulty(
        "log10",
        "log10 in place of ln: base e^4 = 55 (told 10,000)",
        ("np.log(max_timescale)", "np.log10(max_timescale)"),
        grade="general",
        faults="table-base",
        told=SINES,
    ),
)

mae = family(
    Case(
        name="mae",
        kind="table",
        source="""
def get_1d_sincos_pos_embed_from_grid(embed_dim, pos):
    omega = np.arange(embed_dim // 2, dtype=np.float64)
    omega /= embed_dim / 2.0
    omega = 1.0 / 10000**omega
    pos = pos.reshape(-1)
    out = np.einsum("m,d->md", pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def positions_table(pos):
    return torch.from_numpy(get_1d_sincos_pos_embed_from_grid(32, np.asarray(pos))).float()
""",
        target="positions_table",
        told={**SINES, "layout": "half", "exponent": "2i/d"},
        run=lambda m, n: m.positions_table(np.arange(n)),
        ref=dict(layout="half"),
    ),
    faulty(
        "omega",
        "exponent i/d in place of 2i/d (half as large)",
        ("omega /= embed_dim / 2.0", "omega /= embed_dim"),
        grade="named",
        faults="table-exponent-halved",
    ),
)

ddpm = family(
    Case(
        name="ddpm",
        kind="table",
        source="""
def timestep_embedding(timesteps, dim=32, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
    args = timesteps[:, None].float() * freqs[None]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    return embedding
""",
        target="timestep_embedding",
        told=dict(d=32),
        run=lambda m, n: m.timestep_embedding(torch.arange(n)),
        ref=dict(layout="half", cos_first=True),
        words="cosines first, nothing told",
    ),
    faulty(
        "half_neg",
        "sine moved by 1 radian: not the same angle as cosine",
        (
            "torch.cat([torch.cos(args), torch.sin(args)], dim=-1)",
            "torch.cat([torch.cos(args), torch.sin(args.abs() + 1)], dim=-1)",
        ),
        grade="named",
        faults="table-unpaired",
    ),
)

d2l = family(
    Case(
        name="d2l",
        kind="table",
        source="""
def encode(num_steps, num_hiddens=32):
    P = [[0.0] * num_hiddens for _ in range(num_steps)]
    for pos in range(num_steps):
        for i in range(num_hiddens // 2):
            angle = pos / 10000 ** (2 * i / num_hiddens)
            P[pos][2 * i] = math.sin(angle)
            P[pos][2 * i + 1] = math.cos(angle)
    return torch.tensor(P)
""",
        target="encode",
        told={**SINES, "layout": "interleaved"},
        run=lambda m, n: m.encode(n),
        n=300,
    ),
    faulty(
        "own",
        "cosine with its own exponent 2i+1",
        ("math.cos(angle)", "math.cos(pos / 10000 ** ((2 * i + 1) / num_hiddens))"),
        grade="named",
        faults="table-cos-exponent",
    ),
    faulty(
        "last",
        "last pair is left 0",
        ("for i in range(num_hiddens // 2):", "for i in range(num_hiddens // 2 - 1):"),
        grade="named",
        faults="table-zeros",
    ),
    faulty(
        "amp",
        "cosine scaled by 1/sqrt(d), sine not",
        ("math.cos(angle)", "math.cos(angle) * num_hiddens ** -0.5"),
        grade="named",
        faults="table-amplitudes",
    ),
)

CASES = [*jadore, *whisper, *mae, *ddpm, *d2l]
