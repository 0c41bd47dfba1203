"""Strangers: tables after fairseq, tensor2tensor and diffusion models."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right

FAIRSEQ = """
class SinusoidalPositionalEmbedding(nn.Module):
    def __init__(self, embedding_dim, padding_idx=None, init_size=2200):
        super().__init__()
        self.embedding_dim, self.padding_idx = embedding_dim, padding_idx
        self.weights = self.get_embedding(init_size, embedding_dim, padding_idx)

    @staticmethod
    def get_embedding(num_embeddings, embedding_dim, padding_idx=None):
        half_dim = embedding_dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim, dtype=torch.float) * -emb)
        emb = torch.arange(num_embeddings, dtype=torch.float).unsqueeze(1) * emb.unsqueeze(0)
        emb = torch.cat([torch.sin(emb), torch.cos(emb)], dim=1).view(num_embeddings, -1)
        if embedding_dim % 2 == 1:
            emb = torch.cat([emb, torch.zeros(num_embeddings, 1)], dim=1)
        if padding_idx is not None:
            emb[padding_idx, :] = 0
        return emb

    def forward(self, positions):
        return self.weights.index_select(0, positions.view(-1)).detach()


def table(n, d):
    return SinusoidalPositionalEmbedding(d)(torch.arange(n))
"""
T2T = {"d": 32, "base": 10000.0, "layout": "half", "exponent": "i/(d/2 - 1)", "first": 0}


def run_table(m, n):
    return m.table(n, 32)


def short(**fields):
    """Tables are read as far as row 2,099."""
    return dict(kind="table", target="table", run=run_table, n=2100, **fields)


fairseq = family(
    Case(name="2.fairseq", source=FAIRSEQ, told=T2T, ref=dict(layout="half", exponent="i/(d/2 - 1)"), **short()),
    right(
        "padded",
        "position ids begin after the padding index 1, whose row is empty: the first is 2",
        (
            "SinusoidalPositionalEmbedding(d)(torch.arange(n))",
            "SinusoidalPositionalEmbedding(d, 1)(torch.arange(n) + 2)",
        ),
        told={"first": 2},
        ref={"first": 2},
        grade="cannot tell",
    ),
    faulty(
        "padrow",
        "the row of the padding index 0 is emptied, though a token stands at position 0",
        ("SinusoidalPositionalEmbedding(d)", "SinusoidalPositionalEmbedding(d, 0)"),
        grade="misleading",
        faults="table-unpaired",
    ),
    faulty(
        "divisor",
        "exponent i/(d/2): the - 1 is lost",
        ("(half_dim - 1)", "half_dim"),
        grade="named",
        faults="table-dialect",
    ),
    faulty(
        "growing",
        "the minus before the logarithm is lost: frequencies grow from 1 to 10,000",
        ("* -emb)", "* emb)"),
        grade="cannot tell",
    ),
    faulty(
        "view",
        "sines and cosines are put together along the positions and then brought to shape by a view",
        ("dim=1).view(num_embeddings, -1)", "dim=0).view(num_embeddings, -1)"),
        grade="cannot tell",
    ),
)

SIGNAL = """
def get_timing_signal_1d(length, channels, min_timescale=1.0, max_timescale=1.0e4, start_index=0):
    position = np.arange(length, dtype=np.float32) + start_index
    num_timescales = channels // 2
    log_timescale_increment = math.log(float(max_timescale) / float(min_timescale)) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * np.exp(np.arange(num_timescales, dtype=np.float32) * -log_timescale_increment)
    scaled_time = np.expand_dims(position, 1) * np.expand_dims(inv_timescales, 0)
    signal = np.concatenate([np.sin(scaled_time), np.cos(scaled_time)], axis=1)
    signal = np.pad(signal, [[0, 0], [0, channels % 2]])
    return signal.reshape([1, length, channels])


def table(n, d):
    return get_timing_signal_1d(n, d)[0]
"""

signal = family(
    Case(name="2.signal", source=SIGNAL, told=T2T, ref=dict(layout="half", exponent="i/(d/2 - 1)"), **short()),
    right(
        "geomspace",
        "the timescales by np.geomspace, of which positions are multiples",
        (
            "np.expand_dims(position, 1) * np.expand_dims(inv_timescales, 0)",
            "position[:, None] / np.geomspace(min_timescale, max_timescale, num_timescales)",
        ),
    ),
    faulty(
        "min",
        "timescales by np.linspace in place of the geometric series",
        (
            "np.expand_dims(position, 1) * np.expand_dims(inv_timescales, 0)",
            "position[:, None] / np.linspace(min_timescale, max_timescale, num_timescales)",
        ),
        grade="cannot tell",
    ),
    faulty(
        "axis",
        "sines along the columns, cosines pasted from the line above: both halves are sines",
        ("np.cos(scaled_time)", "np.sin(scaled_time)"),
        grade="named",
        faults="table-all-sines",
    ),
    faulty("index", "start_index is 1", ("start_index=0", "start_index=1"), grade="named", faults="table-from-1"),
)

CASES = [*fairseq, *signal]
