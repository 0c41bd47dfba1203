# check_rotary(m.rotate, layout="interleaved", base=1e4, d=16, d_rotated=8)
# formula: layout="interleaved", rot=8
# call: [m.rotate(x)]

def exists(val):
    return val is not None


def rotate_half(x):
    x = rearrange(x, '... (d r) -> ... d r', r=2)
    x1, x2 = x.unbind(dim=-1)
    x = torch.stack((-x2, x1), dim=-1)
    return rearrange(x, '... d r -> ... (d r)')


def apply_rotary_emb(freqs, t, start_index=0, scale=1.):
    rot_dim = freqs.shape[-1]
    end_index = start_index + rot_dim
    t_left, t, t_right = t[..., :start_index], t[..., start_index:end_index], t[..., end_index:]
    t = (t * freqs.cos() * scale) + (rotate_half(t) * freqs.sin() * scale)
    return torch.cat((t_left, t, t_right), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta=10000, interpolate_factor=1.):
        super().__init__()
        freqs = 1. / (theta ** (torch.arange(0, dim, 2)[:(dim // 2)].float() / dim))
        self.freqs = nn.Parameter(freqs, requires_grad=False)
        self.interpolate_factor = interpolate_factor

    def rotate_queries_or_keys(self, t, offset=0):
        seq_len = t.shape[-2]
        seq = (torch.arange(seq_len) + offset) / self.interpolate_factor
        freqs = einsum('..., f -> ... f', seq.type(self.freqs.dtype), self.freqs)
        freqs = repeat(freqs, '... n -> ... (n r)', r=2)
        return apply_rotary_emb(freqs, t)


rope = RotaryEmbedding(dim=8)


def rotate(t, offset=0):
    return rope.rotate_queries_or_keys(t, offset)
