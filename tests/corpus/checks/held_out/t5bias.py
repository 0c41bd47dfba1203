# check_bias(m.bias, heads=8)
# formula: t5=True
# call: m.bias(n)
# n: 200

class RelativeBias(nn.Module):
    def __init__(self, num_heads=8, num_buckets=32, max_distance=128):
        super().__init__()
        self.num_buckets, self.max_distance = num_buckets, max_distance
        self.relative_attention_bias = nn.Embedding(num_buckets, num_heads).requires_grad_(False)
        table = torch.arange(32.0)[:, None] * (1 + torch.arange(8.0))
        self.relative_attention_bias.weight.copy_(table.double().sin())

    def bucket(self, relative_position):
        num_buckets = self.num_buckets // 2
        buckets = (relative_position > 0).long() * num_buckets
        n = relative_position.abs()
        max_exact = num_buckets // 2
        large = torch.log(n.float() / max_exact) / math.log(self.max_distance / max_exact) * (num_buckets - max_exact)
        large = (max_exact + large).long().clamp(max=num_buckets - 1)
        return buckets + torch.where(n < max_exact, n, large)

    def forward(self, query_length, key_length):
        context_position = torch.arange(query_length)[:, None]
        memory_position = torch.arange(key_length)[None, :]
        values = self.relative_attention_bias(self.bucket(memory_position - context_position))
        return values.permute([2, 0, 1]).unsqueeze(0)


module = RelativeBias()


def bias(n):
    return module(n, n)[0]
