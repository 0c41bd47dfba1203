"""Positions on more than a line: grids, graphs, space, time, chains."""

from posenc_lib.shapes._longer_generators import dype_freqs, riflex_freqs
from posenc_lib.shapes.generators import flux2_ids, flux_ids, joined_freqs, qwen_image_ids, video_ids, z_image_ids
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
from posenc_lib.shapes.images import axes_sinusoidal, axis_places, cubic_weights, read_grid, stretch_after
from posenc_lib.shapes.points import euclidean_bias, fourier_features, gaussian_freqs, octave_freqs, spherical_harmonics
from posenc_lib.shapes.proteins import ResidueBias, chain_bins, gapped_residues, pair_features, residue_bins
from posenc_lib.shapes.speech import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from posenc_lib.shapes.time import Time2Vec, elapsed, periodic_freqs

__all__ = [
    "ConvolutionalPositions",
    "KeyPlaceBias",
    "NodeEncoding",
    "PathBias",
    "ResidueBias",
    "SignInvariant",
    "Time2Vec",
    "axes_sinusoidal",
    "axis_places",
    "chain_bins",
    "cubic_weights",
    "dype_freqs",
    "elapsed",
    "euclidean_bias",
    "flux2_ids",
    "flux_ids",
    "fourier_features",
    "frame_convolution",
    "gapped_residues",
    "gaussian_freqs",
    "joined_freqs",
    "laplacian",
    "laplacian_eigenvectors",
    "middle_rows",
    "octave_freqs",
    "pair_features",
    "periodic_freqs",
    "qwen_image_ids",
    "read_grid",
    "residue_bins",
    "resistance_coordinates",
    "return_probabilities",
    "riflex_freqs",
    "shortest_paths",
    "spherical_harmonics",
    "stretch_after",
    "video_ids",
    "walk_probabilities",
    "z_image_ids",
]
