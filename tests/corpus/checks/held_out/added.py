# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="half")
# call: counted(m.rope, x)

w = 10000.0 ** (-torch.arange(8, dtype=torch.float64) / 8)
FINE = torch.polar(torch.ones(64, 8, dtype=torch.float64), torch.arange(64)[:, None] * w)
COARSE = torch.polar(torch.ones(128, 8, dtype=torch.float64), 64 * torch.arange(128)[:, None] * w)


def rope(x, pos):
    """Two small tables in place of one long: position 64 a + b turns by both"""
    turn = (COARSE[pos // 64] * FINE[pos % 64]).to(torch.complex64)
    even, odd = x.float().unflatten(-1, (2, 8)).unbind(-2)
    z = torch.complex(even, odd) * turn
    return torch.cat((z.real, z.imag), -1)
