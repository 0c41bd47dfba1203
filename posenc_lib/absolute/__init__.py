"""Encodings that are added to the embeddings: positions -> [n, d_model]."""

from posenc_lib.absolute._sinusoidal import Sinusoidal, shift_matrix, sinusoidal, sinusoidal_tensor2tensor
from posenc_lib.absolute.complex import ComplexEmbedding, complex_order
from posenc_lib.absolute.learned import Learned, hierarchical, resample, resample_grid
from posenc_lib.absolute.recurrent import Floater, linear_recurrence, recurrence

__all__ = [
    "ComplexEmbedding",
    "Floater",
    "Learned",
    "Sinusoidal",
    "complex_order",
    "hierarchical",
    "linear_recurrence",
    "recurrence",
    "resample",
    "resample_grid",
    "shift_matrix",
    "sinusoidal",
    "sinusoidal_tensor2tensor",
]
