"""What else a layer does with positions: layout, window, sink, indexer; and encodings that do not rotate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from posenc_lib.released.models import FACTS, entry, kinds, model_of, rotates

__all__ = []


class Indexer(NamedTuple):
    """Small heads that choose which keys are seen, with a rotation of their own."""

    keeps: int | None
    head_features: int | None
    rotated_features: int | None
    end: str | None = None  # of the head, where the rotated features stand
    layout: str | None = None
    pooling: str | None = None


def other_encoding(config: Mapping[str, Any]) -> str | None:
    """Of the whole model, if it has one that does not rotate."""
    said = config.get("position_embedding_type")
    if isinstance(said, str) and said in FACTS["named"]:
        return said
    named = {model: encoding for encoding, models in FACTS["other"].items() for model in models}
    return "ALiBi" if config.get("alibi") is True else named.get(model_of(config))


def is_known(config: Mapping[str, Any]) -> bool:
    """Whether transformers has a class of this name; of a configuration without one its keys are believed."""
    named = (FACTS["half"], FACTS["interleaved"], FACTS["never"], *FACTS["other"].values())
    return config.get("model_type") is None or any(model_of(config) in models for models in named)


def layout(config: Mapping[str, Any]) -> str | None:
    said = config.get("rope_interleave", config.get("rope_interleaved"))
    if isinstance(said, bool):
        return "interleaved" if said else "half"
    return next((name for name in ("interleaved", "half") if model_of(config) in FACTS[name]), None)


def window(config: Mapping[str, Any], i: int) -> int | None:
    """Tokens that a query of layer i sees at most; a chunk ends at the same place for all queries in it."""
    kind, chunked = kinds(config)[i], model_of(config) == "llama4_text" and rotates(config, i)
    if kind == "chunked_attention" or (kind is None and chunked):
        said = config.get("attention_chunk_size")
    else:
        first = config.get("max_window_layers") if isinstance(config.get("max_window_layers"), int) else 0
        windows = "sliding" in kind if kind else config.get("use_sliding_window", True) and i >= first
        said = config.get("sliding_window", config.get("sliding_window_size")) if windows else None
    return said if isinstance(said, int) else None


def sink(config: Mapping[str, Any], kind: str | None) -> bool:
    """Whether the softmax has one more logit, without a key."""
    model = model_of(config)
    return model in FACTS["sinks"] or (model in FACTS["sinks_in_windows"] and kind == "sliding_attention")


def indexer(config: Mapping[str, Any], i: int, rotated: int | None) -> Indexer | None:
    """As wide as the rotated slice of the attention, where that layer is rotated; None where all keys are seen."""
    kind = kinds(config)[i]
    keeps, head = (_number(config, keys) for keys in (FACTS["indexer_keeps"], FACTS["indexer_heads"]))
    if keeps is None or kind in FACTS["without_indexer"]:
        return None
    if entry(config, "indexer_types", i) == "shared":
        return Indexer(keeps, None, None, pooling="the choice of the last layer that has its own")
    own = FACTS["indexer"].get(model_of(config), {})
    return Indexer(keeps, head, rotated if "end" in own else None, **own)


def _number(config: Mapping[str, Any], keys: list[str]) -> int | None:
    return next((config[key] for key in keys if isinstance(config.get(key), int)), None)


def not_read(config: Mapping[str, Any]) -> set[str]:
    """Keys that by their names may count positions, and that nothing here reads; and the name of an unknown class."""
    said = {key for key, value in config.items() if isinstance(key, str) and value is not None and value is not False}
    matter = {key for key in said if re.search(FACTS["matters"], key)} - {*FACTS["beside"], *FACTS["read"]}
    return matter | (set() if is_known(config) else {"model_type"})
