"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes.generators import GeneratorsBias
from posenc_lib.shapes.graphs import GraphsBias
from posenc_lib.shapes.images import ImagesBias
from posenc_lib.shapes.points import PointsBias
from posenc_lib.shapes.proteins import ResidueBias, chain_bins, gapped_residues, pair_features, residue_bins
from posenc_lib.shapes.speech import SpeechBias
from posenc_lib.shapes.time import Time2Vec, elapsed, periodic_freqs

__all__ = [
    "GeneratorsBias",
    "GraphsBias",
    "ImagesBias",
    "PointsBias",
    "ResidueBias",
    "SpeechBias",
    "Time2Vec",
    "chain_bins",
    "elapsed",
    "gapped_residues",
    "pair_features",
    "periodic_freqs",
    "residue_bins",
]
