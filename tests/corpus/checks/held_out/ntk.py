# check_rotary(m.rope, d=16, base=1e4 * 4 ** (16 / 14), sense="counterclockwise", first=0, layout="half")
# formula: base=1e4 * 4 ** (16 / 14)
# call: list(m.rope(x, y, torch.arange(n)))

class NTKScaledRotary:
    def __init__(self, dim=16, base=10000.0, alpha=4.0):
        base = base * alpha ** (dim / (dim - 2))
        self.inv_freq = torch.exp(-math.log(base) * torch.arange(0, dim, 2) / dim)

    def __call__(self, q, k, positions):
        phase = positions.float().unsqueeze(-1) * self.inv_freq
        c, s = phase.cos(), phase.sin()
        turn = torch.stack((torch.stack((c, -s), -1), torch.stack((s, c), -1)), -2)  # [n, pairs, 2, 2]
        return tuple(
            torch.einsum("npij,...njp->...nip", turn, t.unflatten(-1, (2, -1))).flatten(-2) for t in (q, k)
        )


rope = NTKScaledRotary()
