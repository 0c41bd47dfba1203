"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes._longer_generators import dype_freqs, riflex_freqs
from posenc_lib.shapes.generators import flux2_ids, flux_ids, joined_freqs, qwen_image_ids, video_ids, z_image_ids
from posenc_lib.shapes.graphs import GraphsBias
from posenc_lib.shapes.images import ImagesBias
from posenc_lib.shapes.points import PointsBias
from posenc_lib.shapes.proteins import ProteinsBias
from posenc_lib.shapes.speech import SpeechBias
from posenc_lib.shapes.time import TimeBias

__all__ = [
    "GraphsBias",
    "ImagesBias",
    "PointsBias",
    "ProteinsBias",
    "SpeechBias",
    "TimeBias",
    "dype_freqs",
    "flux2_ids",
    "flux_ids",
    "joined_freqs",
    "qwen_image_ids",
    "riflex_freqs",
    "video_ids",
    "z_image_ids",
]
