# check_bias(m.alibi_mask, heads=12, call="heads n")
# formula: h=12
# call: m.alibi_mask(12, n)
# n: 500

def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    else:
        closest_power_of_2 = 2 ** math.floor(math.log2(n))
        return (
            get_slopes_power_of_2(closest_power_of_2)
            + get_slopes(2 * closest_power_of_2)[0::2][: n - closest_power_of_2]
        )


def slopes_tensor(heads=12):
    return torch.tensor(get_slopes(heads))


def alibi_mask(heads, maxpos):
    slopes = torch.Tensor(get_slopes(heads))
    context_position = torch.arange(maxpos)[:, None]
    memory_position = torch.arange(maxpos)[None, :]
    relative_position = torch.abs(memory_position - context_position)
    return -slopes[:, None, None] * relative_position[None]
