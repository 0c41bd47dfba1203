"""The pictures that move: a chapter calls one of these functions at the end of a cell."""

from bookkit.pictures.alibi_weights import alibi_weights
from bookkit.pictures.axes_plane import axes_plane
from bookkit.pictures.clock import clock
from bookkit.pictures.cosine_sums import cosine_sums
from bookkit.pictures.dials import dials
from bookkit.pictures.distance_maps import distance_maps
from bookkit.pictures.dot_product_map import dot_product_map
from bookkit.pictures.move_both import move_both
from bookkit.pictures.moved_word import moved_word
from bookkit.pictures.rel_shift_steps import rel_shift_steps
from bookkit.pictures.scaled_scores import scaled_scores
from bookkit.pictures.score_by_distance import score_by_distance
from bookkit.pictures.t5_buckets import t5_buckets
from bookkit.pictures.words_or_head import words_or_head

__all__ = [
    "alibi_weights",
    "axes_plane",
    "clock",
    "cosine_sums",
    "dials",
    "distance_maps",
    "dot_product_map",
    "move_both",
    "moved_word",
    "rel_shift_steps",
    "scaled_scores",
    "score_by_distance",
    "t5_buckets",
    "words_or_head",
]
