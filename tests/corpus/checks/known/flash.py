# check_rotary(m.flash, layout="half", base=1e4, d=16, axes="bnhd")
# call: [swap(m.flash(swap(x)))]

def rotate_half(x, interleaved=False):
    if not interleaved:
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    else:
        x1, x2 = x[..., ::2], x[..., 1::2]
        return rearrange(torch.stack((-x2, x1), dim=-1), "... d two -> ... (d two)", two=2)


def apply_rotary_emb_torch(x, cos, sin, interleaved=False):
    """x: (batch_size, seqlen, nheads, headdim); cos, sin: (seqlen, rotary_dim / 2)"""
    ro_dim = cos.shape[-1] * 2
    assert ro_dim <= x.shape[-1]
    cos = repeat(cos, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    sin = repeat(sin, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    return torch.cat([x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin, x[..., ro_dim:]], dim=-1)


def flash(x, seqlen_offset=0, interleaved=False):
    inv_freq = 1.0 / (10000.0 ** (torch.arange(0, 16, 2, dtype=torch.float32) / 16))
    t = torch.arange(seqlen_offset, seqlen_offset + x.shape[1], dtype=torch.float32)
    freqs = torch.outer(t, inv_freq)
    return apply_rotary_emb_torch(x, torch.cos(freqs), torch.sin(freqs), interleaved)


def flash_neighbours(x, seqlen_offset=0):
    return flash(x, seqlen_offset, True)
