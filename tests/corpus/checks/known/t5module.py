# check_bias(m.rel, heads=8)
# formula: t5=True
# call: m.rel(n, n)[0].detach()
# n: 300

class RelBias(nn.Module):
    def __init__(self, heads=8):
        super().__init__()
        self.relative_attention_bias = nn.Embedding(32, heads)
        with torch.no_grad():
            angles = torch.arange(32.0)[:, None] * (1 + torch.arange(float(heads)))
            self.relative_attention_bias.weight.copy_(torch.sin(angles))

    @staticmethod
    def bucket(rel, num_buckets=32, max_distance=128):
        num_buckets //= 2
        out = (rel > 0).long() * num_buckets
        rel = rel.abs()
        max_exact = num_buckets // 2
        ratio = torch.log(rel.float() / max_exact) / math.log(max_distance / max_exact)
        large = max_exact + (ratio * (num_buckets - max_exact)).long()
        return out + torch.where(rel < max_exact, rel, large.clamp(max=num_buckets - 1))

    def forward(self, n_q, n_k):
        context = torch.arange(n_q)[:, None]
        memory = torch.arange(n_k)[None, :]
        values = self.relative_attention_bias(self.bucket(memory - context))
        return values.permute(2, 0, 1)[None]


rel = RelBias()
