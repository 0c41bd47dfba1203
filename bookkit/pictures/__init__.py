"""The pictures that move: a chapter calls one of these functions at the end of a cell.

Each is a function of 50 to 90 lines in a file of its name, with an underscore before it: its sliders, what it draws and
what it says, as formulas of sympy or tables that the library computes, and a question with its answer. Copy `_clock`.
A name in `lets` keeps a formula that is used more than once short, and sympy from expanding it. A chapter shows it with

    ```{code-cell}
    :tags: [remove-input]
    :mystnb:
    :  figure:
    :    caption: What to see.
    :    name: fig-sinusoidal-moving-clock

    from bookkit.pictures import clock

    clock()
    ```

The output holds still frames with the question, for Colab and for paper, and a record, from which the site draws the
picture that moves. What it should say is `truth` at the end of its file, worked out by the library: the tests compare
the formulas with it, and what Chromium shows. After a change of a picture run the chapters that show it again.

    .venv/bin/python -m pytest tests/bookkit/test_movable.py -k clock
    .venv/bin/python -m pytest -m browser tests/site/test_movable.py -k clock
"""

from bookkit.pictures._aligned_corners import aligned_corners
from bookkit.pictures._axes_plane import axes_plane
from bookkit.pictures._binary_places import binary_places
from bookkit.pictures._broken_positions import broken_positions
from bookkit.pictures._broken_stick import broken_stick
from bookkit.pictures._clipped_rows import clipped_rows
from bookkit.pictures._clock import clock
from bookkit.pictures._cosine_sums import cosine_sums
from bookkit.pictures._counted_commas import counted_commas
from bookkit.pictures._counted_tokens import counted_tokens
from bookkit.pictures._cut_texts import cut_texts
from bookkit.pictures._dials import dials
from bookkit.pictures._distance_maps import distance_maps
from bookkit.pictures._dot_product_map import dot_product_map
from bookkit.pictures._drawn_positions import drawn_positions
from bookkit.pictures._drowned_words import drowned_words
from bookkit.pictures._far_copy import far_copy
from bookkit.pictures._field_of_hands import field_of_hands
from bookkit.pictures._flipped_state import flipped_state
from bookkit.pictures._four_matrices import four_matrices
from bookkit.pictures._four_terms import four_terms
from bookkit.pictures._gapped_chains import gapped_chains
from bookkit.pictures._grid_numbers import grid_numbers
from bookkit.pictures._heard_frames import heard_frames
from bookkit.pictures._kept_by_gates import kept_by_gates
from bookkit.pictures._kept_segment import kept_segment
from bookkit.pictures._kept_speeds import kept_speeds
from bookkit.pictures._kernel_share import kernel_share
from bookkit.pictures._lamps import lamps
from bookkit.pictures._likeness_in_space import likeness_in_space
from bookkit.pictures._moved_word import moved_word
from bookkit.pictures._new_patches import new_patches
from bookkit.pictures._norm_order import norm_order
from bookkit.pictures._numbered_places import numbered_places
from bookkit.pictures._one_file_read import one_file_read
from bookkit.pictures._paired_rows import paired_rows
from bookkit.pictures._rel_shift_steps import rel_shift_steps
from bookkit.pictures._repeated_step import repeated_step
from bookkit.pictures._rescaled_distances import rescaled_distances
from bookkit.pictures._ring_waves import ring_waves
from bookkit.pictures._round_box import round_box
from bookkit.pictures._rounded_bits import rounded_bits
from bookkit.pictures._scaled_scores import scaled_scores
from bookkit.pictures._score_by_distance import score_by_distance
from bookkit.pictures._shapes_of_faults import shapes_of_faults
from bookkit.pictures._squeezed_places import squeezed_places
from bookkit.pictures._swap_in_machine import swap_in_machine
from bookkit.pictures._swapped_words import swapped_words
from bookkit.pictures._switched_lists import switched_lists
from bookkit.pictures._t5_buckets import t5_buckets
from bookkit.pictures._terms_on_off import terms_on_off
from bookkit.pictures._trained_rows import trained_rows
from bookkit.pictures._travelling_words import travelling_words
from bookkit.pictures._turned_or_added import turned_or_added
from bookkit.pictures._two_factors import two_factors
from bookkit.pictures._two_turns import two_turns
from bookkit.pictures._units_of_time import units_of_time
from bookkit.pictures._window_strides import window_strides
from bookkit.pictures._word_and_patches import word_and_patches
from bookkit.pictures._words_or_head import words_or_head

__all__ = [
    "aligned_corners",
    "axes_plane",
    "binary_places",
    "broken_positions",
    "broken_stick",
    "clipped_rows",
    "clock",
    "cosine_sums",
    "counted_commas",
    "counted_tokens",
    "cut_texts",
    "dials",
    "distance_maps",
    "dot_product_map",
    "drawn_positions",
    "drowned_words",
    "far_copy",
    "field_of_hands",
    "flipped_state",
    "four_matrices",
    "four_terms",
    "gapped_chains",
    "grid_numbers",
    "heard_frames",
    "kept_by_gates",
    "kept_segment",
    "kept_speeds",
    "kernel_share",
    "lamps",
    "likeness_in_space",
    "moved_word",
    "new_patches",
    "norm_order",
    "numbered_places",
    "one_file_read",
    "paired_rows",
    "rel_shift_steps",
    "repeated_step",
    "rescaled_distances",
    "ring_waves",
    "round_box",
    "rounded_bits",
    "scaled_scores",
    "score_by_distance",
    "shapes_of_faults",
    "squeezed_places",
    "swap_in_machine",
    "swapped_words",
    "switched_lists",
    "t5_buckets",
    "terms_on_off",
    "trained_rows",
    "travelling_words",
    "turned_or_added",
    "two_factors",
    "two_turns",
    "units_of_time",
    "window_strides",
    "word_and_patches",
    "words_or_head",
]
