"""Encodings that are added to the embeddings: positions -> [n, d_model]."""

from posenc_lib.absolute.sinusoidal import Sinusoidal, shift_matrix, sinusoidal, sinusoidal_tensor2tensor

__all__ = ["Sinusoidal", "shift_matrix", "sinusoidal", "sinusoidal_tensor2tensor"]
