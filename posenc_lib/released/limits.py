"""What a configuration may say that changes the answer and is not read here: it is refused, not ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from posenc_lib.border.numbers import shown
from posenc_lib.released.models import kinds, model_of, rotates
from posenc_lib.released.single import PLAIN_IN_WINDOWS

__all__ = []


class Sign(NamedTuple):
    """A key and a value by which one sees that the answer would be for something else."""

    shows: Callable[[str, Any], bool]
    means: str
    unless: str


SIGNS = (
    Sign(
        lambda key, value: key.startswith("pos") and key.endswith("_type") and str(value) not in ("rope", "rotary"),
        "only rotary encodings are read here",
        "the model rotates queries and keys all the same",
    ),
    Sign(
        lambda key, value: ("alibi" in key or "nope" in key) and value is True,
        "only rotary encodings are read here",
        "the model rotates queries and keys all the same",
    ),
    Sign(
        lambda key, value: "patch_size" in key and value is not None,
        "patches of images have places on two axes, for which axial_freqs and axes_angles are made",
        "this model counts along one",
    ),
    Sign(
        lambda key, value: key == "model_type" and value == "mistral_large4_text",
        "its weights hold a factor for each frequency, exp(alpha)",
        "you multiply by it",
    ),
    Sign(
        lambda key, value: key == "model_type" and value == "ernie4_5_vl_moe_text",
        "its pairs stand in another order, that of the axes of images",
        "you put them into this order",
    ),
)


def require_rotary_text(config: Mapping[str, Any]) -> None:
    for key, value in config.items():
        for sign in SIGNS if isinstance(key, str) else ():
            if sign.shows(key, value):
                raise ValueError(
                    f"{key:.60} is {shown(value)}: {sign.means}. If {sign.unless}, name {key:.60} in handled"
                )


ONE_FOR_ALL = {
    **dict.fromkeys(("cwm", "exaone4", "gemma2", "gpt_oss", "granite_swa", "llama4_text", "vaultgemma"), True),
    **dict.fromkeys(("modernbert", "modernbert-decoder"), False),
    **dict.fromkeys(("t5gemma2_decoder", "t5gemma2_text"), False),
}
"""By model_type: whether in transformers 5.23 one dictionary of rope parameters is for all layers that are rotated."""


def require_one_for_all(config: Mapping[str, Any], rope: Mapping[str, Any]) -> None:
    """One dictionary says enough if all layers attend alike, or if it only has a base, or where the model is known."""
    attending = sorted({kind for i, kind in enumerate(kinds(config)) if kind is not None and rotates(config, i)})
    model = model_of(config)
    given = [rope[key] for key in ("rope_type", "type") if isinstance(rope.get(key), str)]
    plain = {"default", "mrope"}.issuperset(given)
    known = {**ONE_FOR_ALL, **dict.fromkeys(PLAIN_IN_WINDOWS, bool(attending))}
    if not known.get(model, plain or len(attending) < 2):
        raise ValueError(
            f"the layers differ ({', '.join(attending) or model:.80}), and one dictionary of rope parameters does not "
            "say which of them it is for. Write one for each type into rope_parameters; if one is for all, name "
            "layer_types in handled"
        )
