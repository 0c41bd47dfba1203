# check_rotary(m.local_layer, d=16, base=1e4, sense="counterclockwise", layout="half", factor=1.1)
# formula: factor=1.1
# call: pieces(lambda q, k, a, b: m.local_layer(q, k, torch.arange(a, b)), x, y)

CACHE = {}


def tables(length, dim, base):
    key = (length, dim, base)
    if key not in CACHE:
        angles = torch.outer(torch.arange(length).double(), base ** -(torch.arange(0, dim, 2).double() / dim))
        CACHE[key] = angles.cos().float(), angles.sin().float()
    return CACHE[key]


class Layer:
    def __init__(self, base, attention_factor=1.1, length=4200):
        self.base, self.length, self.attention_factor = base, length, attention_factor

    def __call__(self, q, k, pos):
        cos, sin = tables(self.length, q.shape[-1], self.base)
        cos, sin = cos * self.attention_factor, sin * self.attention_factor
        cos, sin = cos[pos], sin[pos]
        out = []
        for x in (q, k):
            lo, hi = torch.tensor_split(x, 2, dim=-1)
            out.append(torch.cat((torch.addcmul(lo * cos, hi, sin, value=-1), torch.addcmul(hi * cos, lo, sin)), -1))
        return tuple(out)


global_layer = Layer(1_000_000.0)
local_layer = Layer(10_000.0)
warm_up = global_layer(torch.ones(1, 1, 1, 16), torch.ones(1, 1, 1, 16), torch.arange(1))
