"""Strangers: biases of T5's buckets, with weights that are the sine of the bucket times the number of the head."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right

T5 = """
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
"""
KEPT = """MADE = {}


def bias(n):
    if n not in MADE:
        MADE[n] = module(n, n)[0]
    return MADE[n]
"""

t5 = family(
    Case(
        name="2.t5bias",
        kind="bias",
        source=T5,
        target="bias",
        told={"heads": 8},
        run=lambda m, n: m.bias(n),
        ref={"t5": True},
        n=200,
    ),
    right("kept", "kept for each length", ("def bias(n):\n    return module(n, n)[0]\n", KEPT)),
    right(
        "onehot",
        "the embedding as a product with one-hot vectors",
        (
            "        values = self.relative_attention_bias(self.bucket(memory_position - context_position))\n"
            "        return values.permute([2, 0, 1]).unsqueeze(0)\n",
            "        hot = F.one_hot(self.bucket(memory_position - context_position), self.num_buckets).float()\n"
            '        return torch.einsum("bh,qkb->hqk", self.relative_attention_bias.weight, hot)[None]\n',
        ),
    ),
    faulty(
        "view",
        "heads are brought to the front by a view in place of permute",
        ("values.permute([2, 0, 1]).unsqueeze(0)", "values.view(1, -1, query_length, key_length)"),
        grade="named",
        faults="bias-axes-mixed",
    ),
    faulty(
        "last",
        "the query's place is taken as the last one for all queries, as in decoding",
        ("torch.arange(query_length)[:, None]", "torch.full((query_length, 1), key_length - 1)"),
        grade="general",
        faults="bias-not-relative",
    ),
    faulty(
        "embedding",
        "the embedding is made for the wrong sizes and read as a view: weights of heads and buckets are exchanged",
        (
            "values = self.relative_attention_bias(self",
            "values = F.embedding(self",
        ),
        (
            "(memory_position - context_position))",
            "(memory_position - context_position), self.relative_attention_bias.weight.T.reshape(32, 8))",
        ),
        grade="called correct",
    ),
)

CASES = t5
