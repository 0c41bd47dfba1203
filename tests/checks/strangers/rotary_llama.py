"""Strangers: Llama in transformers."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, places

LLAMA = '''
def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos = cos.unsqueeze(unsqueeze_dim)
    sin = sin.unsqueeze(unsqueeze_dim)
    q_embed = (q * cos) + (rotate_half(q) * sin)
    k_embed = (k * cos) + (rotate_half(k) * sin)
    return q_embed, k_embed


class LlamaRotaryEmbedding(nn.Module):
    def __init__(self, dim=16, base=10000.0, scaling=1.0):
        super().__init__()
        self.attention_scaling = scaling
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        inv = self.inv_freq[None, :, None].float().expand(position_ids.shape[0], -1, 1)
        pos = position_ids[:, None, :].float()
        freqs = (inv @ pos).transpose(1, 2)
        emb = torch.cat((freqs, freqs), dim=-1)
        cos = emb.cos() * self.attention_scaling
        sin = emb.sin() * self.attention_scaling
        return cos.to(dtype=x.dtype), sin.to(dtype=x.dtype)


rope_table = LlamaRotaryEmbedding()
'''


def run_llama(m, x, y, n):
    return m.apply_rotary_pos_emb(x, y, *m.rope_table(x, places(n, 2)))


llama = family(
    Case(
        name="llama",
        kind="rotary",
        source=LLAMA,
        target="apply_rotary_pos_emb",
        told={**HALVES, "d": 16},
        run=run_llama,
        table="rope_table",
    ),
    right(
        "base500k",
        "Llama 3's base, told",
        ("base=10000.0", "base=500000.0"),
        told=dict(base=5e5),
        ref=dict(base=5e5),
    ),
    right(
        "negfreq",
        "both signs turned: the same rotation",
        ("torch.cat((-x2, x1), dim=-1)", "torch.cat((x2, -x1), dim=-1)"),
        ("emb.sin()", "(-emb).sin()"),
    ),
    right(
        "outer",
        "angles in float64",
        (
            "freqs = (inv @ pos).transpose(1, 2)",
            "freqs = torch.einsum('bn,i->bni', position_ids.double(), self.inv_freq.double()).float()",
        ),
    ),
    faulty(
        "k_from_q",
        "k's rotated part is taken from q (copy and paste)",
        ("(rotate_half(k) * sin)", "(rotate_half(q) * sin)"),
        grade="named",
        faults="tensors-crossed",
    ),
    faulty(
        "lost_sign",
        "rotate_half has no minus sign: a lost sign",
        ("(-x2, x1)", "(x2, x1)"),
        grade="named",
        faults="not-a-rotation",
    ),
    faulty(
        "sense",
        "minus sign on the other half: turns the other way (clockwise) than told",
        ("(-x2, x1)", "(x2, -x1)"),
        grade="named",
        faults="sense",
        told=dict(sense="counterclockwise"),
    ),
    faulty(
        "exponent",
        "exponent divides by dim/2: 4i/d, frequencies fall twice as fast",
        (".float() / dim))", ".float() / (dim // 2)))"),
        grade="named",
        faults="exponent-doubled",
    ),
    faulty(
        "ilv_table",
        "layouts mixed: table interleaved, rotate_half for halves",
        ("torch.cat((freqs, freqs), dim=-1)", "torch.repeat_interleave(freqs, 2, dim=-1)"),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "k_plain_sin",
        "k turns the other way than q",
        ("(k * cos) + (rotate_half(k) * sin)", "(k * cos) - (rotate_half(k) * sin)"),
        grade="named",
        faults="senses-differ",
    ),
    faulty(
        "half_pos",
        "positions rounded to bfloat16",
        ("position_ids[:, None, :].float()", "position_ids[:, None, :].to(torch.bfloat16).float()"),
        grade="named",
        faults="positions-half",
    ),
    faulty(
        "no_pow",
        "frequencies are not inverted: base^(+2i/d)",
        ("1.0 / (base ** (torch.arange", "(base ** (torch.arange"),
        grade="named",
        faults="not-inverted",
    ),
)

CASES = [*llama]
