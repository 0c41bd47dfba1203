# check_rotary(m.long_rope, layout="half", d=16, freqs=(geo() / FACTORS).float(), factor=math.sqrt(1 + math.log(32) / math.log(4096)))
# formula: freqs=geo() / FACTORS, factor=math.sqrt(1 + math.log(32) / math.log(4096))
# call: [m.long_rope(x, torch.arange(n))]

class Phi3LongRoPE:
    long_factor = [1.0, 1.1, 1.3, 1.7, 2.4, 3.9, 6.5, 9.0]
    short_factor = [1.0, 1.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    original_max = 4096
    maximum = 131072

    def __init__(self, dim=16, base=10000.0):
        self.dim, self.base = dim, base
        scale = self.maximum / self.original_max
        self.scaling_factor = math.sqrt(1 + math.log(scale) / math.log(self.original_max))

    def __call__(self, x, position_ids):
        ext = torch.tensor(self.long_factor)
        inv_freq_shape = torch.arange(0, self.dim, 2, dtype=torch.int64).float() / self.dim
        inv_freq = 1.0 / (ext * self.base**inv_freq_shape)
        freqs = position_ids[..., None].float() * inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        cos, sin = emb.cos() * self.scaling_factor, emb.sin() * self.scaling_factor
        x1, x2 = x[..., :8], x[..., 8:]
        return x * cos + torch.cat((-x2, x1), -1) * sin


longrope = Phi3LongRoPE()


def long_rope(x, position_ids):
    return longrope(x, position_ids)
