"""Reads a released configuration: what transformers writes about rotary encoding, as frequencies and a factor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, flag
from posenc_lib.border.numbers import shown
from posenc_lib.extension._longrope import longrope, longrope_temperature
from posenc_lib.extension._ntk import dynamic_ntk
from posenc_lib.extension._yarn import llama3, temperature, yarn
from posenc_lib.extension.interpolation import interpolate
from posenc_lib.released.configuration import TRAINED, Reader
from posenc_lib.released.limits import require_known, require_rotary_text
from posenc_lib.released.models import FACTS, PART, completed, is_unrotated
from posenc_lib.released.single import flat, of_type
from posenc_lib.released.values import base, features, length, mapping, names, ratio, real, share, type_of_layers
from posenc_lib.rotary.proportional import proportional_freqs

__all__ = ["released_rope"]


class ReleasedRope(NamedTuple):
    """What a configuration says: the frequencies of the pairs, and the number that multiplies cosines and sines."""

    freqs: Float[Tensor, " pairs"]
    attention_factor: float

    @property
    def rotated(self) -> bool:
        """Whether queries and keys are rotated at all: where they are not, there are no pairs."""
        return len(self.freqs) > 0


NOT_ROTATED = ReleasedRope(torch.empty(0, dtype=torch.float64), 1.0)


@border(config=mapping, layer_type=type_of_layers, n=length, d=features, handled=names)
def released_rope(
    config: Mapping[str, Any],
    *,
    layer_type: str | None = None,
    n: int | None = None,
    d: int | None = None,
    handled: Collection[str] = (),
) -> ReleasedRope:
    r"""Frequencies and attention factor of a released model, from its configuration in the form of transformers.

    $$\text{config} \mapsto (\theta_0, \dots, \theta_{r/2-1};\; a), \qquad r \le d \text{ features rotated}$$

    The whole configuration is read, as in config.json, with old key names or new ones: `rope_scaling` and `rope_theta`,
    or `rope_parameters`; `type` or `rope_type`. If it has a `text_config`, that part is read. Where the layers differ,
    `layer_type` names those to read. If only some of them are rotated, the answer is about those. If none is, as in
    Granite 4, it has no pairs, and `rotated` is False.

    n is the length of the whole text, on which the types dynamic and longrope depend. d is the number of features of a
    head, for a configuration that does not state it. `handled` names keys that are unknown here and that the caller
    handles, such as `mrope_section`. Frequencies are float64, in radians per position; multiply both queries and keys
    by the attention factor, in the rotated features only. Whatever else a model does, such as DeepSeek's softmax scale,
    is not included.

    Types: default, linear, dynamic, yarn, longrope, llama3, proportional. Nothing is guessed: what transformers takes
    from the class of the model, such as a missing `rope_theta`, must stand in the configuration.

    Refused: an unknown type or key, a missing key, two keys that contradict each other, a value that makes no sense;
    one scaling for layers that differ, other encodings, such as a bias, and patches of images.

    Source: transformers 5.23, `modeling_rope_utils.py`.

    >>> config = {"head_dim": 4, "rope_theta": 10_000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}
    >>> released_rope(config)
    ReleasedRope(freqs=tensor([0.2500, 0.0025], dtype=torch.float64), attention_factor=1.0)
    """
    return read_by(reader(config, layer_type, n, d, handled))


def read_by(rope: Reader | None) -> ReleasedRope:
    return NOT_ROTATED if rope is None else ReleasedRope(*TYPES[rope.rope_type](rope))


def reader(
    config: Mapping[str, Any], layer_type: str | None, n: int | None, d: int | None, handled: Collection[str]
) -> Reader | None:
    """Of the rotated layers of one type, where all keys are known; None if there are none."""
    config = seen(config, handled)
    if is_unrotated(config):
        return None
    require_rotary_text(config, handled)
    single = of_type(config, layer_type)
    rope = None if single is None else reader_of(single, layer_type, n, d, handled)
    for where, keys in ({} if rope is None else unknown(rope)).items():
        require_known(keys, where)
    return rope


def seen(config: Mapping[str, Any], handled: Collection[str]) -> dict[str, Any]:
    """What is read: the part for the text if there are parts, without what the caller handles, but for its name."""
    part = config if config.get(PART) is None else mapping(PART, config[PART])
    return completed({key: value for key, value in part.items() if key == "model_type" or key not in handled})


def reader_of(
    config: dict[str, Any], layer_type: str | None, n: int | None, d: int | None, handled: Collection[str]
) -> Reader | None:
    """Of layers that are alike."""
    if (single := flat(config, layer_type, handled)) is None:
        return None
    whole = single["rope_parameters"]
    rope = {key: value for key, value in whole.items() if key not in handled}
    return Reader(single, rope, whole, _rope_type(rope), n, d)


def unknown(rope: Reader) -> dict[str, set[str]]:
    """The keys that may change the frequencies and are not read, beside the rope parameters and inside them."""
    beside = {key for key, value in rope.config.items() if isinstance(key, str) and _counts(key, value, rope.d)}
    inside = {*rope.rope} - {*FACTS["inside"][rope.rope_type], *COMMON}
    return {"the configuration": beside - {*FACTS["beside"]}, f"rope type {rope.rope_type}": inside}


def _counts(key: str, value: Any, d: int | None) -> bool:
    """Whether a key beside the rope parameters may change the frequencies: by its name, or by the size of a head."""
    of_head = "head_dim" in key or "head_size" in key or key == "per_layer_config"
    return "rope" in key or "rotary" in key or (of_head and value is not None and d is None)


def _rope_type(rope: Mapping[str, Any]) -> str:
    given = [rope[key] for key in ("rope_type", "type") if rope.get(key) is not None] or ["default"]
    _require_types(given)
    return OLD_NAMES.get(given[0], given[0])


def _require_types(given: list[Any]) -> None:
    for name in given:
        if not isinstance(name, str) or OLD_NAMES.get(name, name) not in TYPES:
            raise ValueError(f"the rope type must be one of {', '.join(TYPES)}; got {shown(name)}")
    if len({OLD_NAMES.get(name, name) for name in given}) > 1:
        raise ValueError(f"rope_type and type contradict each other: {given[0]!r} and {given[1]!r}")


def _default(rope: Reader) -> tuple[Tensor, float]:
    return rope.freqs(), 1.0


def _linear(rope: Reader) -> tuple[Tensor, float]:
    return interpolate(rope.freqs(), rope.factor()), 1.0


def _dynamic(rope: Reader) -> tuple[Tensor, float]:
    trained = rope.need("max_position_embeddings", length)
    return dynamic_ntk(rope.freqs(), rope.factor(), rope.text_length(), trained), 1.0


def _llama3(rope: Reader) -> tuple[Tensor, float]:
    low, high = rope.need("low_freq_factor", real), rope.need("high_freq_factor", real)
    if low > high:
        raise ValueError(f"low_freq_factor must be at most high_freq_factor; got {low} and {high}")
    return llama3(rope.freqs(), rope.factor(), rope.need(TRAINED, length), low=low, high=high), 1.0


def _yarn(rope: Reader) -> tuple[Tensor, float]:
    given = rope.given(real, slow="beta_slow", fast="beta_fast") | rope.given(flag, truncate="truncate")
    s = rope.factor()
    freqs = yarn(rope.freqs(), s, rope.need(TRAINED, length), **given)
    a, b = rope.weight("mscale"), rope.weight("mscale_all_dim")  # one of the two alone counts for nothing
    default = temperature(s, a) / temperature(s, b) if a and b else temperature(s)
    return freqs, rope.find("attention_factor", real, default)


def _longrope(rope: Reader) -> tuple[Tensor, float]:
    trained = rope.need(TRAINED, length)
    lists = {key: longrope(rope.freqs(), rope.factors(f"{key}_factor")) for key in ("short", "long")}
    which = "long" if rope.text_length() > trained else "short"
    own, common = rope.find(f"{which}_mscale", real), rope.find("attention_factor", real)  # the first of Phi-3.5-MoE
    if own is not None and common is not None:
        raise ValueError(f"attention_factor and {which}_mscale contradict each other; leave one out")
    default = longrope_temperature(rope.factor(), trained)
    return lists[which], own or common or default


def _proportional(rope: Reader) -> tuple[Tensor, float]:
    rotated = rope.given(share, fraction="partial_rotary_factor")
    freqs = proportional_freqs(rope.head(), rope.need("rope_theta", base), **rotated)
    return freqs if rope.find("factor", ratio) is None else interpolate(freqs, rope.factor()), 1.0


TYPES: dict[str, Callable[[Reader], tuple[Tensor, float]]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}
COMMON = {"rope_type", "type", "rope_theta", "partial_rotary_factor"}
OLD_NAMES = {"su": "longrope", "mrope": "default"}
