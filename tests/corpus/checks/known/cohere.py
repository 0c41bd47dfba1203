# check_rotary(m.cohere_rope, layout="interleaved", base=1e4, d=16)
# formula: layout="interleaved"
# call: m.cohere_rope(x, y, at(x, n))

def rotate_half(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    return torch.stack([-x2, x1], dim=-1).flatten(-2)


def cohere_rope(q, k, position_ids):
    inv_freq = 1.0 / (10000 ** (torch.arange(0, q.shape[-1], 2).double() / q.shape[-1]))
    freqs = position_ids[:, None, :, None].double() * inv_freq
    emb = torch.repeat_interleave(freqs, 2, dim=-1)
    cos, sin = emb.cos().float(), emb.sin().float()
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
