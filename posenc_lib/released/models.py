"""Which layers a model rotates: what keys for single layers say, and what its class in transformers 5.23 decides."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from posenc_lib.released.values import entries, layers, words

__all__ = []

PART = "text_config"
"""Of a model that also sees or hears: the part that transformers reads as its text model."""

FACTS = tomllib.loads(files("posenc_lib.released").joinpath("classes.toml").read_text(encoding="utf-8"))


def model_of(config: Mapping[str, Any]) -> str:
    return str(config.get("model_type"))


def completed(config: Mapping[str, Any]) -> dict[str, Any]:
    """With the encoding that its class has where the configuration says none."""
    model = model_of(config)
    silent = model in FACTS["silent"] and config.get("position_embedding_type") is None
    return {**config, "position_embedding_type": FACTS["silent"][model]} if silent else dict(config)


def is_unrotated(config: Mapping[str, Any]) -> bool:
    """Whether the model has no encoding in its attention at all, and so rotates no layer."""
    without_memory = model_of(config) == "zamba2" and config.get("use_mem_rope") is False
    without_base = model_of(config) == "olmo_hybrid" and not _has_base(config)
    said = config.get("mla_use_nope") is True or str(config.get("position_embedding_type")) == "nope"
    return said or without_memory or without_base or model_of(config) in FACTS["never"]


def _has_base(config: Mapping[str, Any]) -> bool:
    parts = [config, *(config.get(key) for key in ("rope_parameters", "rope_scaling"))]
    return any(part.get("rope_theta") is not None for part in parts if isinstance(part, Mapping))


def kinds(config: Mapping[str, Any]) -> list[str | None]:
    """The type of each layer: None where there are no types, and no layers where their number is not said."""
    n = next((layers(key, config[key]) for key in FACTS["counts"] if config.get(key) is not None), None)
    if (given := config.get("layer_types", config.get("layers_block_type"))) is not None:
        return words("layer_types", given) if n is None else entries("layer_types", words("layer_types", given), n)[:n]
    n = n or 0
    if "attn_layer_indices" in config:  # Bamba has no others by default
        return ["attention" if i in (config["attn_layer_indices"] or ()) else "mamba" for i in range(n)]
    if config.get("block_types"):  # RecurrentGemma repeats them
        return [words("block_types", config["block_types"])[i % len(config["block_types"])] for i in range(n)]
    if (each := config.get("sliding_window_pattern")) is None or isinstance(each, str):
        return [None] * n
    each = layers("sliding_window_pattern", each)
    return ["sliding_attention" if (i + 1) % each else "full_attention" for i in range(n)]


def rotates(config: Mapping[str, Any], i: int) -> bool:
    """Whether layer i rotates queries and keys, in a model with the rotary encoding, as far as its type is known."""
    model, kind = model_of(config), kinds(config)[i]
    if kind in FACTS["no_attention"] or entry(config, "layer_rope_theta", i) == 0:
        return False
    if config.get("no_rope_layers"):  # where it is 1, the layer is rotated
        return bool(entry(config, "no_rope_layers", i))
    if model in FACTS["by_interval"]:
        return (i + 1) % layers("no_rope_layer_interval", config.get("no_rope_layer_interval") or 4) != 0
    windows = config.get("sliding_window") is not None and model in FACTS["in_windows_if_any"]
    windows = windows or model in FACTS["in_windows"]
    return not windows or kind in ("sliding_attention", None) or _in_dense_prefix(config, i)


def _in_dense_prefix(config: Mapping[str, Any], i: int) -> bool:
    """Command A+ rotates its first layers, those without experts, if one key says so."""
    prefix = model_of(config) == "cohere2_moe" and config.get("prefix_dense_sliding_window_pattern") == 1
    return prefix and entry(config, "mlp_layer_types", i) == "dense"


def entry(config: Mapping[str, Any], key: str, i: int) -> Any:
    """Of layer i, where the value is a list."""
    values = config.get(key)
    return entries(key, values, len(kinds(config)))[i] if isinstance(values, (list, tuple)) else None
