# check_bias(m.bias, heads=8)
# formula: h=8
# call: m.bias(n)
# n: 300

class AlibiPositionalBias(nn.Module):
    def __init__(self, heads=8):
        super().__init__()
        self.register_buffer("slopes", torch.tensor(np.geomspace(2 ** (-8 / heads), 2**-8, heads)), persistent=False)

    def forward(self, i, j):
        i_arange = torch.arange(j - i, j)
        j_arange = torch.arange(j)
        distance = torch.abs(rearrange(j_arange, "j -> 1 j") - rearrange(i_arange, "i -> i 1"))
        return einsum("h,ij->hij", self.slopes, -distance.double())


alibi = AlibiPositionalBias()


def bias(n):
    return alibi(n, n)
