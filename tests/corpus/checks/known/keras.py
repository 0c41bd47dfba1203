# check_rotary(m.layer, layout="half", base=1e4, d=16, axes="bnhd")
# call: [swap(m.layer(swap(x)))]

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
