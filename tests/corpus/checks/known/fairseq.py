# check_rotary(m.espnet_rope, layout="half", base=1e4, d=16, axes="nbhd")
# call: [o.permute(1, 2, 0, 3) for o in m.espnet_rope(x.permute(2, 0, 1, 3), y.permute(2, 0, 1, 3))]

class RotaryPositionalEmbedding(torch.nn.Module):
    def __init__(self, dim, base=10000, precision=torch.float):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq)
        self.precision = precision

    def forward(self, x, seq_len: int = 0):
        t = torch.arange(seq_len).type_as(self.inv_freq)
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        cos = emb.cos().view(emb.size(0), 1, 1, emb.size(1))
        sin = emb.sin().view(emb.size(0), 1, 1, emb.size(1))
        return cos, sin


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=x1.ndim - 1)


def apply_rotary_pos_emb(q, k, cos, sin, offset: int = 0):
    cos, sin = (
        cos[offset : q.shape[0] + offset, ...],
        sin[offset : q.shape[0] + offset, ...],
    )
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


_emb = RotaryPositionalEmbedding(16)


def espnet_rope(q, k, offset=0):
    """q, k: Time x Batch x Head x Channel"""
    cos, sin = _emb(q, seq_len=q.size(0) + offset)
    return apply_rotary_pos_emb(q, k, cos, sin, offset=offset)
