"""The configuration of one layer: what stands in lists, or counts for some layers only, is said once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from posenc_lib.border.numbers import shown
from posenc_lib.released.limits import require_known, require_one_for_all
from posenc_lib.released.models import FACTS, entry, kinds, model_of, rotates
from posenc_lib.released.values import mapping

__all__ = []

ROPE = ("rope_scaling", "rope_parameters")

LISTS = {
    "layer_rope_theta": "rope_theta",
    "rope_theta": "rope_theta",
    "partial_rotary_factors": "partial_rotary_factor",
}
"""Keys whose value may be a list with an entry for each layer, and the key that an entry stands for."""

KEPT = {"rope_theta", "partial_rotary_factor"}


def of_type(config: Mapping[str, Any], layer_type: str | None) -> dict[str, Any] | None:
    """That of the layers of a type which are rotated, or None if none of them is. All layers are of the type None."""
    here = [i for i, kind in enumerate(kinds(config)) if layer_type is None or kind == layer_type]
    single = [of_layer(config, i) for i in here if rotates(config, i)]
    for other in single:
        if differ := sorted(key for key in single[0] | other if not _is_same(single[0].get(key), other.get(key))):
            of = "the layers" if layer_type is None else f"the layers of type {shown(layer_type)}"
            raise ValueError(f"{of} differ in {differ[0]}: name a layer_type whose layers are alike")
    return None if here and not single else dict((single or [config])[0])


def _is_same(one: Any, other: Any) -> bool:
    """An array, which the rules refuse afterwards, has no truth of its own."""
    return one is other or bool(one == other)


def of_layer(config: Mapping[str, Any], i: int) -> dict[str, Any]:
    own = {key: value for key, value in config.items() if key not in ("per_layer_config", "rope_scaling_layers")}
    for key, one in LISTS.items():
        if isinstance(config.get(key), (list, tuple)):
            del own[key]
            own |= _everywhere(own, one, entry(config, key, i))
    own |= _values_of(config.get("per_layer_config"), i)
    scaled = config.get("rope_scaling_layers")
    if isinstance(scaled, (list, tuple)) and i not in scaled:
        own |= _plain(own, None)
    window = kinds(config)[i] == "sliding_attention"
    return _of_pooled(own, window) if model_of(own) == "deepseek_v4" else _of_windows(own, window)


def _of_pooled(own: dict[str, Any], window: bool) -> dict[str, Any]:
    """DeepSeek-V4 scales the layers that pool keys, at a base of their own and without a factor on cosine and sine."""
    base, slice_, head = (own.get(key) for key in ("compress_rope_theta", "qk_rope_head_dim", "head_dim"))
    if slice_ and head:
        own = {"partial_rotary_factor": slice_ / head} | own
    if window or base is None or is_nested(own):
        return own if is_nested(own) else own | _plain(own, None)
    own |= _everywhere(own, "rope_theta", base)
    scaled = {
        key: rope for key, rope in _dictionaries(own).items() if "yarn" in (rope.get("type"), rope.get("rope_type"))
    }
    return own | {key: {"attention_factor": 1.0} | rope for key, rope in scaled.items()}


def _of_windows(own: dict[str, Any], window: bool) -> dict[str, Any]:
    """Where the one scaling is for the layers without a window: the others have a base of their own, and none."""
    key = FACTS["plain_in_windows"].get(model_of(own))
    if key is None or is_nested(own):
        return own
    base = own.get(key) if key == "rope_theta" else own.pop(key, None)
    if base is None and key != "rope_theta" and window:
        raise ValueError(f"layers with windows need {key}, and the configuration has none")
    return own | _plain(own, base) if window else own


def flat(config: dict[str, Any], layer_type: str | None, handled: Collection[str]) -> dict[str, Any] | None:
    """With the rope parameters of one type of layer, and no others; None if it has none."""
    rope, *others = list(_dictionaries(config).values()) or [{}]
    if any(other != rope for other in others):
        raise ValueError("rope_scaling and rope_parameters contradict each other; leave one out")
    if is_nested(config):
        name = FACTS["labels"].get(model_of(config), {}).get(layer_type, layer_type)
        return _of_nested(config, rope, name, handled)
    require_one_for_all(config, rope)
    if layer_type is not None and layer_type not in kinds(config):
        raise ValueError(
            f"the configuration has one rotary encoding for all layers; got layer_type {shown(layer_type)}"
        )
    return config | {"rope_parameters": rope}


def _of_nested(
    config: dict[str, Any], rope: dict[str, Any], layer_type: str | None, handled: Collection[str]
) -> dict[str, Any] | None:
    """What stands inside counts more than what stands beside, which may be for other layers."""
    if layer_type not in (types := types_in(rope)):
        raise ValueError(
            f"the layers differ: layer_type must be one of {', '.join(types):.200}; got {shown(layer_type)}"
        )
    if rope[layer_type] is None:
        return None
    require_known(set(rope) - {*types, *handled}, "a dictionary of layer types")
    own = mapping("rope parameters", rope[layer_type])
    wide = config.get("global_head_dim") if layer_type == "full_attention" else None  # in Gemma 4
    beside = {key: value for key, value in config.items() if own.get(key) is None}
    return beside | {"rope_parameters": own} | ({} if wide is None else {"head_dim": wide})


def is_nested(config: Mapping[str, Any]) -> bool:
    ropes = [mapping(key, config[key]) for key in ROPE if config.get(key) is not None]
    return any(isinstance(value, Mapping) for rope in ropes for value in rope.values())


def types_in(rope: Mapping[str, Any]) -> list[str]:
    return [key for key, value in rope.items() if value is None or isinstance(value, Mapping)]


def _plain(own: dict[str, Any], base: Any) -> dict[str, Any]:
    """No scaling, and another base if there is one."""
    kept = {key: value for rope in _dictionaries(own).values() for key, value in rope.items() if key in KEPT}
    return dict.fromkeys(ROPE) | _everywhere({"rope_parameters": kept}, "rope_theta", base)


def _everywhere(own: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The value, beside the rope parameters and inside them."""
    if value is None:
        return _dictionaries(own)
    return {key: value} | {name: rope | {key: value} for name, rope in _dictionaries(own).items()}


def _dictionaries(own: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {key: mapping("rope parameters", own[key]) for key in ROPE if own.get(key) is not None}


def _values_of(given: Any, i: int) -> dict[str, Any]:
    """Of layer i, whose key may be 5 or 05."""
    given = mapping("per_layer_config", {} if given is None else given)
    own = [value for key, value in given.items() if str(key).isdigit() and int(key) == i]
    return mapping(f"per_layer_config[{i}]", own[0]) if own else {}
