"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes.generators import GeneratorsBias
from posenc_lib.shapes.graphs import GraphsBias
from posenc_lib.shapes.images import ImagesBias
from posenc_lib.shapes.points import euclidean_bias, fourier_features, gaussian_freqs, octave_freqs, spherical_harmonics
from posenc_lib.shapes.proteins import ProteinsBias
from posenc_lib.shapes.speech import SpeechBias
from posenc_lib.shapes.time import TimeBias

__all__ = [
    "GeneratorsBias",
    "GraphsBias",
    "ImagesBias",
    "ProteinsBias",
    "SpeechBias",
    "TimeBias",
    "euclidean_bias",
    "fourier_features",
    "gaussian_freqs",
    "octave_freqs",
    "spherical_harmonics",
]
