# check_rotary(m.rotary, d=16, base=1e4, sense="counterclockwise", first=0, layout="half")
# call: (m.rotary(x[..., :5, :], at(x, 5)), pieces(lambda t, a, b: m.rotary(t, at(t, b)[:, a:]), x))[1]

class GrowingRotary(nn.Module):
    """Tables are made when they are needed, and made anew when a text is longer"""

    def __init__(self, dim=16, base=10000.0, start=64):
        super().__init__()
        self.register_buffer("inv_freq", base ** -(torch.arange(0, dim, 2).float() / dim), persistent=False)
        self.length = 0
        self.grow(start)

    def grow(self, length):
        if length <= self.length:
            return
        angles = torch.arange(length).float()[:, None] * self.inv_freq[None, :]
        self.cos = torch.cat((angles, angles), -1).cos()
        self.sin = torch.cat((angles, angles), -1).sin()
        self.length = length

    def forward(self, x, position_ids):
        self.grow(int(position_ids.max()) + 1)
        cos = self.cos[position_ids][:, None]
        sin = self.sin[position_ids][:, None]
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat((-right, left), -1) * sin


rotary = GrowingRotary()
