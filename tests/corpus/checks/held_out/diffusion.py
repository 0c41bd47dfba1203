# check_table(m.table, d=32, base=1e4, layout="half, cosines first", exponent="2i/d", first=0)
# formula: layout="half", cos_first=True
# call: m.table(torch.arange(n), 32)
# n: 2100

def table(positions, dim):
    """timesteps as in diffusion models: [n] -> [n, dim]"""
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
    args = positions[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
