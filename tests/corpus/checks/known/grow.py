# check_rotary(m.rotary, layout="half", base=1e4, d=16, axes="bnhd", sense="clockwise")
# formula: sense=-1
# call: (m.rotary(swap(x)[:, :7]), [swap(m.rotary(swap(x)))])[1]

class Rotary(torch.nn.Module):
    """x: (batch, seq, heads, head_dim). Keeps cos and sin, grows when needed."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.inv_freq = (1 / base) ** (torch.arange(0, dim, 2) / dim)
        self.seq_len_cached = 0
        self.cos_cached = None
        self.sin_cached = None

    def _grow(self, seq_len):
        if seq_len > self.seq_len_cached:
            self.seq_len_cached = seq_len
            t = torch.arange(seq_len).float()
            freqs = torch.outer(t, self.inv_freq)
            self.cos_cached = freqs.cos()
            self.sin_cached = freqs.sin()

    def forward(self, x, offset=0):
        end = offset + x.shape[1]
        self._grow(end)
        cos = self.cos_cached[None, offset:end, None, :]
        sin = self.sin_cached[None, offset:end, None, :]
        d = x.shape[3] // 2
        x1 = x[..., :d]
        x2 = x[..., d:]
        y1 = x1 * cos + x2 * sin
        y2 = x1 * (-sin) + x2 * cos
        return torch.cat([y1, y2], 3)


rotary = Rotary(16)
