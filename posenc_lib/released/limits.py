"""What a configuration may say that changes the answer and is not read here: it is refused, not ignored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from posenc_lib.border.numbers import shown
from posenc_lib.released.values import names

__all__ = []


class Sign(NamedTuple):
    """A key and a value by which one sees that the answer would be for something else."""

    shows: Callable[[str, Any], bool]
    means: str
    unless: str


ROTARY = ("rope", "rotary")
SIGNS = (
    Sign(
        lambda key, value: key.startswith("pos") and key.endswith("_type") and str(value) not in ROTARY,
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
)


def require_rotary_text(config: Mapping[str, Any], handled: Collection[str]) -> None:
    for key, value in config.items():
        for sign in SIGNS if isinstance(key, str) and key not in handled else ():
            if sign.shows(key, value):
                raise ValueError(
                    f"{key:.60} is {shown(value)}: {sign.means}. If {sign.unless}, name {key:.60} in handled"
                )


ONE_FOR_ALL = {
    **dict.fromkeys(("cwm", "exaone4", "gpt_oss", "llama4_text"), True),
    **dict.fromkeys(("gemma3_text", "gemma3n_text", "modernbert", "modernbert-decoder"), False),
    **dict.fromkeys(("t5gemma2_decoder", "t5gemma2_text"), False),
}
"""By model_type: whether in transformers 5.23 one dictionary of rope parameters is for all layers that are rotated."""


def require_one_for_all(config: Mapping[str, Any], rope: Mapping[str, Any], handled: Collection[str]) -> None:
    """One dictionary says enough if all layers attend alike, or if it only has a base, or where the model is known."""
    if "layer_types" in handled:
        return
    kinds, model = _kinds_of_attention(config.get("layer_types")), str(config.get("model_type"))
    types = [rope[key] for key in ("rope_type", "type") if isinstance(rope.get(key), str)]
    plain = {"default", "mrope"}.issuperset(types)
    if not ONE_FOR_ALL.get(model, plain or len(kinds) < 2):
        raise ValueError(
            f"the layers differ ({', '.join(kinds) or model:.80}), and one dictionary of rope parameters does not say "
            "which of them it is for. Write one for each type into rope_parameters; if one is for all, name "
            "layer_types in handled"
        )


def _kinds_of_attention(types: Any) -> list[str]:
    given = set() if types is None else set(names("layer_types", types))
    return sorted(name for name in given if "attention" in name and not name.startswith("linear"))
