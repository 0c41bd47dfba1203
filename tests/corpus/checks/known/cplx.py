# check_rotary(m.complex_halves, layout="half", base=1e4, d=16)
# formula: same=True
# call: [m.complex_halves(x[0], torch.arange(n))[None].expand_as(x)]

def complex_halves(x, pos_ids):
    """(heads, tokens, d)"""
    h = x.size(-1) // 2
    z = torch.complex(x[..., :h].float(), x[..., h:].float())
    omega = torch.exp(-math.log(10000.0) * torch.arange(h) / h)
    phase = torch.exp(1j * pos_ids[:, None].double() * omega.double())
    z = z * phase
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)
