# check_rotary(m.apply_rotary, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved", axes="bnhd")
# formula: layout="interleaved"
# call: [swap(t) for t in m.apply_rotary(swap(x), swap(y), torch.arange(n))]

def sinusoidal(position_ids, output_dim):
    indices = torch.arange(0, output_dim // 2, dtype=torch.float32)
    indices = torch.pow(10000.0, -2 * indices / output_dim)
    embeddings = torch.einsum("n,d->nd", position_ids.float(), indices)
    embeddings = torch.stack([torch.sin(embeddings), torch.cos(embeddings)], dim=-1)
    return torch.reshape(embeddings, (-1, output_dim))


def apply_rotary(qw, kw, position_ids):
    """qw, kw: (batch, seq, heads, dim)"""
    pos = sinusoidal(position_ids, qw.shape[-1])
    cos_pos = torch.repeat_interleave(pos[..., None, 1::2], 2, dim=-1)
    sin_pos = torch.repeat_interleave(pos[..., None, ::2], 2, dim=-1)
    qw2 = torch.stack([-qw[..., 1::2], qw[..., ::2]], 4)
    qw2 = torch.reshape(qw2, qw.shape)
    qw = qw * cos_pos + qw2 * sin_pos
    kw2 = torch.stack([-kw[..., 1::2], kw[..., ::2]], 4)
    kw2 = torch.reshape(kw2, kw.shape)
    kw = kw * cos_pos + kw2 * sin_pos
    return qw, kw
