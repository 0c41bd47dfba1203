# check_bias(m.alibi, heads=12)
# formula: h=12
# call: m.alibi(n, n)
# n: 500

class AlibiPositionalBias(nn.Module):
    def __init__(self, heads, total_heads=None):
        super().__init__()
        self.heads = heads
        slopes = torch.Tensor(self._get_slopes(heads))
        slopes = rearrange(slopes, 'h -> h 1 1')
        self.register_buffer('slopes', slopes, persistent=False)

    @staticmethod
    def _get_slopes(heads):
        def get_slopes_power_of_2(n):
            start = (2**(-2**-(math.log2(n)-3)))
            ratio = start
            return [start*ratio**i for i in range(n)]

        if math.log2(heads).is_integer():
            return get_slopes_power_of_2(heads)
        closest_power_of_2 = 2 ** math.floor(math.log2(heads))
        more = get_slopes_power_of_2(2 * closest_power_of_2)[0::2][:heads-closest_power_of_2]
        return get_slopes_power_of_2(closest_power_of_2) + more

    def forward(self, i, j):
        i_arange = torch.arange(j - i, j)
        j_arange = torch.arange(j)
        bias = -torch.abs(rearrange(j_arange, 'j -> 1 1 j') - rearrange(i_arange, 'i -> 1 i 1'))
        return bias * self.slopes


alibi = AlibiPositionalBias(12)
