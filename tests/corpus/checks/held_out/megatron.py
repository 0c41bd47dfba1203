# check_rotary(m.apply, d=16, base=1e4, sense="counterclockwise", first=0, layout="half", axes="nbhd")
# call: tokens_first(m.apply, x)

class RotaryEmbedding(nn.Module):
    def __init__(self, kv_channels, rotary_interleaved=False, seq_len_interpolation_factor=None, rotary_base=10000):
        super().__init__()
        self.rotary_interleaved = rotary_interleaved
        self.factor = seq_len_interpolation_factor
        self.inv_freq = 1.0 / (rotary_base ** (torch.arange(0, kv_channels, 2, dtype=torch.float32) / kv_channels))

    def forward(self, seq):
        if self.factor is not None:
            seq = seq * (1 / self.factor)
        freqs = torch.outer(seq.to(self.inv_freq), self.inv_freq)
        if not self.rotary_interleaved:
            emb = torch.cat((freqs, freqs), dim=-1)
        else:
            emb = torch.stack((freqs.view(-1, 1), freqs.view(-1, 1)), dim=-1).view(freqs.shape[0], -1)
        return emb[:, None, None, :]


def _rotate_half(x, rotary_interleaved):
    if not rotary_interleaved:
        x1, x2 = torch.chunk(x, 2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    x1, x2 = x[:, :, :, ::2], x[:, :, :, 1::2]
    return torch.stack((-x2, x1), dim=-1).view(x.shape)


rotary = RotaryEmbedding(16, rotary_interleaved=False)


def apply(t, positions):
    freqs = rotary(positions)
    return t * freqs.cos() + _rotate_half(t, rotary.rotary_interleaved) * freqs.sin()
