"""Strangers: RoFormer's table of sines, and Keras."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, swapped

ROFORMER = """
def sinusoidal_position_embeddings(seq_len, dim):
    position_enc = np.array([[pos / np.power(10000, 2 * (j // 2) / dim) for j in range(dim)] for pos in range(seq_len)])
    out = torch.empty(seq_len, dim)
    sentinel = dim // 2
    out[:, 0:sentinel] = torch.FloatTensor(np.sin(position_enc[:, 0::2]))
    out[:, sentinel:] = torch.FloatTensor(np.cos(position_enc[:, 1::2]))
    return out[None, None, :, :]


_TABLE = sinusoidal_position_embeddings(4608, 16)


def apply_rotary_position_embeddings(sinusoidal_pos, query_layer, key_layer):
    sin, cos = sinusoidal_pos.chunk(2, dim=-1)
    sin_pos = torch.stack([sin, sin], dim=-1).reshape_as(sinusoidal_pos)
    cos_pos = torch.stack([cos, cos], dim=-1).reshape_as(sinusoidal_pos)
    rotate_half_query = torch.stack([-query_layer[..., 1::2], query_layer[..., ::2]], dim=-1).reshape_as(query_layer)
    query_layer = query_layer * cos_pos + rotate_half_query * sin_pos
    rotate_half_key = torch.stack([-key_layer[..., 1::2], key_layer[..., ::2]], dim=-1).reshape_as(key_layer)
    key_layer = key_layer * cos_pos + rotate_half_key * sin_pos
    return query_layer, key_layer


def roformer(query_layer, key_layer, past_key_values_length=0):
    s = past_key_values_length
    return apply_rotary_position_embeddings(_TABLE[:, :, s : s + query_layer.shape[2]], query_layer, key_layer)
"""

roformer = family(
    Case(
        name="roformer",
        kind="rotary",
        source=ROFORMER,
        target="roformer",
        told={**NEIGHBOURS, "d": 16},
        run=lambda m, x, y, n: m.roformer(x, y),
        ref=dict(layout="interleaved"),
    ),
    faulty(
        "table_cos",
        ("table's exponent j/dim: cos and sin with the odd exponent, all frequencies wrong by the factor base^(1/d)"),
        ("np.sin(position_enc[:, 0::2])", "np.sin(position_enc[:, 1::2] * 1.0)"),
        ("2 * (j // 2) / dim", "j / dim"),
        grade="named",
        faults="scaled-linear",
    ),
    faulty(
        "cos_own",
        "exponent j/dim: sine with even j, cosine with odd j: own exponents",
        ("2 * (j // 2) / dim", "j / dim"),
        grade="named",
        faults="cos-sin-frequencies",
    ),
    faulty(
        "stack_key",
        "k's rotated partner put together with cat, not stack: layouts mixed in k",
        (
            "torch.stack([-key_layer[..., 1::2], key_layer[..., ::2]], dim=-1)",
            "torch.cat([-key_layer[..., 1::2], key_layer[..., ::2]], dim=-1)",
        ),
        grade="named",
        faults="partners-differ",
    ),
    faulty(
        "sinpos",
        "q: cos_pos taken twice, sine missing",
        ("query_layer * cos_pos + rotate_half_query * sin_pos", "query_layer * cos_pos + rotate_half_query * cos_pos"),
        grade="general",
        faults="not-a-rotation",
    ),
)

KERAS = """
class RotaryEmbedding(nn.Module):
    def __init__(self, max_wavelength=10000, scaling_factor=1.0, sequence_axis=1, feature_axis=-1):
        super().__init__()
        self.max_wavelength = max_wavelength
        self.scaling_factor = scaling_factor
        self.sequence_axis = sequence_axis

    def forward(self, inputs, start_index=0, positions=None):
        cos_emb, sin_emb = self._compute_cos_sin_embedding(inputs, start_index, positions)
        x1, x2 = torch.chunk(inputs, 2, dim=-1)
        half_rot_tensor = torch.stack((-x2, x1), dim=-2).reshape(inputs.shape)
        return (inputs * cos_emb) + (half_rot_tensor * sin_emb)

    def _compute_cos_sin_embedding(self, inputs, start_index=0, positions=None):
        rotary_dim = inputs.shape[-1]
        inverse_freq = self._get_inverse_freq(rotary_dim)
        if positions is None:
            positions = torch.arange(inputs.shape[self.sequence_axis], dtype=torch.float32)
            positions = positions + float(start_index)
        else:
            positions = positions.float()
        freq = torch.einsum("i,j->ij", positions / self.scaling_factor, inverse_freq)
        embedding = torch.stack((freq, freq), dim=-2).reshape(*freq.shape[:-1], freq.shape[-1] * 2)
        embedding = embedding[None, :, None, :]
        return torch.cos(embedding), torch.sin(embedding)

    def _get_inverse_freq(self, rotary_dim):
        freq_range = torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim
        return 1.0 / self.max_wavelength**freq_range


layer = RotaryEmbedding()
"""

keras = family(
    Case(
        name="keras",
        kind="rotary",
        source=KERAS,
        target="layer",
        told={**HALVES, "d": 16, "axes": "bnhd"},
        run=lambda m, x, y, n: [swapped(m.layer(swapped(x)))],
    ),
    faulty(
        "stack_axis",
        "angles stacked on the last axis: neighbours' table with halves' partners",
        ("torch.stack((freq, freq), dim=-2)", "torch.stack((freq, freq), dim=-1)"),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "seq_axis",
        "sequence axis is that of the heads",
        ("sequence_axis=1", "sequence_axis=2"),
        ("embedding[None, :, None, :]", "embedding[None, None, :, :]"),
        grade="named",
        faults="axes-swapped",
    ),
)

CASES = [*roformer, *keras]
