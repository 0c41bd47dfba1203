# check_rotary(m.apply_rope, layout="half", base=1e4, d=16, axes="bnhd")
# call: [swap(m.apply_rope(swap(x), at(x, n)))]

_MAX_WAVELENGTH = 10_000


def apply_rope(inputs, positions, head_dim=16, max_wavelength=_MAX_WAVELENGTH):
    """inputs [B, L, N, H], positions [B, L]"""
    fraction = 2 * torch.arange(0, head_dim // 2) / head_dim
    timescale = max_wavelength**fraction
    sinusoid_inp = positions[..., None] / timescale[None, None, :]
    sinusoid_inp = sinusoid_inp[..., None, :]
    sin = torch.sin(sinusoid_inp)
    cos = torch.cos(sinusoid_inp)
    first_half, second_half = torch.tensor_split(inputs, 2, dim=-1)
    first_part = first_half * cos - second_half * sin
    second_part = second_half * cos + first_half * sin
    out = torch.concatenate([first_part, second_part], dim=-1)
    return out.to(inputs.dtype)
