# check_rotary(m.rotate, d=16, base=1e4, sense="counterclockwise", first=0, layout="half", d_rotated=8)
# formula: rot=8
# call: pieces(lambda q, k, a, b: m.rotate(q, k, offset=a), x, y)

class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_position_embeddings=5000, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        t = torch.arange(max_position_embeddings, dtype=inv_freq.dtype)
        freqs = torch.einsum("i,j->ij", t, inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos()[None, None, :, :])
        self.register_buffer("sin_cached", emb.sin()[None, None, :, :])

    def forward(self, x, seq_len):
        return self.cos_cached[:, :, :seq_len].to(x.dtype), self.sin_cached[:, :, :seq_len].to(x.dtype)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, offset=0):
    cos = cos[..., offset : q.shape[-2] + offset, :]
    sin = sin[..., offset : q.shape[-2] + offset, :]
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class Attention(nn.Module):
    def __init__(self, head_size=16, rotary_pct=0.5):
        super().__init__()
        self.rotary_ndims = int(head_size * rotary_pct)
        self.rotary_emb = RotaryEmbedding(self.rotary_ndims)

    def rotate(self, query, key, offset=0):
        query_rot, query_pass = query[..., : self.rotary_ndims], query[..., self.rotary_ndims :]
        key_rot, key_pass = key[..., : self.rotary_ndims], key[..., self.rotary_ndims :]
        cos, sin = self.rotary_emb(key, seq_len=key.shape[-2] + offset)
        query, key = apply_rotary_pos_emb(query_rot, key_rot, cos, sin, offset)
        return torch.cat((query, query_pass), dim=-1), torch.cat((key, key_pass), dim=-1)


rotate = Attention().rotate
