# check_table(m.table, d=32, base=1e4, layout="interleaved, cosines first", exponent="2i/d", first=0)
# formula: cos_first=True
# call: m.table(torch.arange(n))
# n: 2100

def table(positions, d=32, base=10000.0):
    rates = torch.logspace(0, -math.log10(base) * (d - 2) / d, d // 2, dtype=torch.float64)
    phase = positions.double().unsqueeze(-1) * rates
    return torch.view_as_real(torch.polar(torch.ones_like(phase), phase)).flatten(-2).float()
