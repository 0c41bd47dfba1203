"""Generators' frequencies, as the contract takes them: along a line, and along a line through space."""

from posenc_lib.pairs import geometric_freqs
from posenc_lib.shapes import dype_freqs, joined_freqs, riflex_freqs
from tests.contract.method import freqs, rotary_with
from tests.rotary.axes.method import by_axes

METHODS = {
    "rotary riflex": lambda: rotary_with(riflex_freqs(freqs(), 1, 200), riflex_freqs),
    "rotary dype": lambda: rotary_with(dype_freqs(freqs(), 2.0, 0.5), dype_freqs),
    "rotary, axes joined": lambda: by_axes(
        joined_freqs([geometric_freqs(2), geometric_freqs(4), geometric_freqs(2)]), joined_freqs
    ),
}
NO_METHOD = dict.fromkeys(
    ("flux2_ids", "flux_ids", "qwen_image_ids", "video_ids", "z_image_ids"), "makes positions of several axes"
)
_IMAGES = {"n_text": 3, "images": [(2, 3), (1, 2)]}
ARGUMENTS = {
    "flux2_ids": lambda: [_IMAGES],
    "flux_ids": lambda: [_IMAGES],
    "joined_freqs": lambda: [{"freqs": [geometric_freqs(4), geometric_freqs(2)]}],
    "qwen_image_ids": lambda: [_IMAGES],
    "riflex_freqs": lambda: [{"pair": 2, "share": 0.9}],
    "video_ids": lambda: [{"frames": 2}],
    "z_image_ids": lambda: [{"n_text": 3}],
    "dype_freqs": lambda: [{"noise": 0.5, "power": 2.0}],
}
