"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes.generators import GeneratorsBias
from posenc_lib.shapes.graphs import (
    NodeEncoding,
    PathBias,
    SignInvariant,
    laplacian,
    laplacian_eigenvectors,
    resistance_coordinates,
    return_probabilities,
    shortest_paths,
    walk_probabilities,
)
from posenc_lib.shapes.images import ImagesBias
from posenc_lib.shapes.points import PointsBias
from posenc_lib.shapes.proteins import ProteinsBias
from posenc_lib.shapes.speech import SpeechBias
from posenc_lib.shapes.time import TimeBias

__all__ = [
    "GeneratorsBias",
    "ImagesBias",
    "NodeEncoding",
    "PathBias",
    "PointsBias",
    "ProteinsBias",
    "SignInvariant",
    "SpeechBias",
    "TimeBias",
    "laplacian",
    "laplacian_eigenvectors",
    "resistance_coordinates",
    "return_probabilities",
    "shortest_paths",
    "walk_probabilities",
]
