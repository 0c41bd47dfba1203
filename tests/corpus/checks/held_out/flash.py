# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="half", axes="bhnd")
# call: counted(m.rope, x)

def rotate_half(x, interleaved=False):
    if not interleaved:
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    x1, x2 = x[..., ::2], x[..., 1::2]
    return rearrange(torch.stack((-x2, x1), dim=-1), "... d two -> ... (d two)", two=2)


def apply_rotary_emb_torch(x, cos, sin, interleaved=False):
    """x: (batch_size, seqlen, nheads, headdim), cos, sin: (seqlen, rotary_dim / 2)"""
    ro_dim = cos.shape[-1] * 2
    cos = repeat(cos, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    sin = repeat(sin, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    return torch.cat(
        [x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin, x[..., ro_dim:]], dim=-1
    )


def cos_sin(positions, dim=16):
    freqs = torch.outer(positions.float(), 1.0 / (10000.0 ** (torch.arange(0, dim, 2) / dim)))
    return torch.cos(freqs), torch.sin(freqs)


def rope(x, positions):
    """A layer that takes [batch, heads, tokens, features]"""
    return apply_rotary_emb_torch(x.transpose(1, 2), *cos_sin(positions)).transpose(1, 2)
