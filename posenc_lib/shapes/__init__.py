"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes.generators import GeneratorsBias
from posenc_lib.shapes.graphs import GraphsBias
from posenc_lib.shapes.images import axes_sinusoidal, axis_places, cubic_weights, read_grid, stretch_after
from posenc_lib.shapes.points import PointsBias
from posenc_lib.shapes.proteins import ProteinsBias
from posenc_lib.shapes.speech import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from posenc_lib.shapes.time import Time2Vec, elapsed, periodic_freqs

__all__ = [
    "ConvolutionalPositions",
    "GeneratorsBias",
    "GraphsBias",
    "KeyPlaceBias",
    "PointsBias",
    "ProteinsBias",
    "Time2Vec",
    "axes_sinusoidal",
    "axis_places",
    "cubic_weights",
    "elapsed",
    "frame_convolution",
    "middle_rows",
    "periodic_freqs",
    "read_grid",
    "stretch_after",
]
