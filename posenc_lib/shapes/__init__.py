"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes.generators import GeneratorsBias
from posenc_lib.shapes.graphs import GraphsBias
from posenc_lib.shapes.images import ImagesBias
from posenc_lib.shapes.points import PointsBias
from posenc_lib.shapes.proteins import ProteinsBias
from posenc_lib.shapes.speech import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from posenc_lib.shapes.time import TimeBias

__all__ = [
    "ConvolutionalPositions",
    "GeneratorsBias",
    "GraphsBias",
    "ImagesBias",
    "KeyPlaceBias",
    "PointsBias",
    "ProteinsBias",
    "TimeBias",
    "frame_convolution",
    "middle_rows",
]
