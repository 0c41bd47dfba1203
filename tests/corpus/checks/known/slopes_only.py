# check_bias(m.table, heads=12)
# formula: h=12
# call: -m.table[:, None, None] * (torch.arange(n)[:, None] - torch.arange(n)).abs()
# n: 300

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

def slopes(n_heads):
    return np.array(get_slopes(n_heads))


table = torch.tensor(get_slopes(12))
