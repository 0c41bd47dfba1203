"""What else a layer does with positions: layout, window, sink, indexer; and encodings that do not rotate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from posenc_lib.released.models import kinds, model_of, rotates

__all__ = []

INTERLEAVED = {
    *("axk1", "axk2", "bailing_hybrid", "blt", "codegen", "cohere", "cohere2", "cohere2_moe", "deepseek_v2"),
    *("deepseek_v3", "deepseek_v32", "deepseek_v4", "dots3_note_text", "ernie4_5", "ernie4_5_moe", "glm", "glm4"),
    *("glm4_moe_lite", "glm4v_text", "glm_moe_dsa", "glm_ocr_text", "gptj", "helium", "llama4_text", "longcat_flash"),
    *("mistral4", "mistral_large4_text", "moonshine", "moonshine_streaming", "roformer", "youtu"),
}
HALF = {
    *("afmoe", "exaone4", "exaone_moe", "falcon", "gemma", "gemma2", "gemma3_text", "gemma3n_text", "gemma4_text"),
    *("glm4_moe", "gpt_neox", "gpt_oss", "granite", "granitemoehybrid", "granite_swa", "jetmoe", "kolibri1", "llama"),
    *("minimax", "ministral", "ministral3", "mistral", "mixtral", "nemotron", "olmo", "olmo2", "olmo3", "olmoe"),
    *("phi", "phi3", "phimoe", "qwen2", "qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3", "qwen3_moe"),
    *("qwen3_next", "qwen3_vl_text", "qwen3_5_text", "smollm3", "stablelm", "starcoder2"),
}
"""As transformers 5.23 pairs them: its port of a checkpoint may have changed the order of the rows of q and k."""

SINKS = {
    *("deepseek_v4", "flint", "gpt_oss", "granite_swa", "granitemoe_swa", "hy_v4", "inkling2_text"),
    "openai_privacy_filter",
}
SINKS_IN_WINDOWS = {"mimo_v2_flash"}

BIASED = {"inkling_text": "bias", "inkling2_text": "bias", "mpt": "alibi", "bloom": "alibi"}


def other_encoding(config: Mapping[str, Any]) -> str | None:
    """Of the whole model, if it has one that does not rotate."""
    said = config.get("position_embedding_type")
    if isinstance(said, str) and said not in ("rope", "rotary", "nope"):
        return said
    return "alibi" if config.get("alibi") is True else BIASED.get(model_of(config))


def layout(config: Mapping[str, Any]) -> str | None:
    said = config.get("rope_interleave", config.get("rope_interleaved"))
    if isinstance(said, bool):
        return "interleaved" if said else "half"
    model = model_of(config)
    return "interleaved" if model in INTERLEAVED else "half" if model in HALF else None


def window(config: Mapping[str, Any], i: int) -> int | None:
    """Tokens that a query of layer i sees at most; a chunk ends at the same place for all queries in it."""
    kind, chunked = kinds(config)[i], model_of(config) == "llama4_text" and rotates(config, i)
    if kind == "chunked_attention" or (kind is None and chunked):
        said = config.get("attention_chunk_size")
    else:
        windows = kind == "sliding_attention" or (kind is None and config.get("use_sliding_window", True))
        said = config.get("sliding_window") if windows else None
    return said if isinstance(said, int) else None


def sink(config: Mapping[str, Any], kind: str | None) -> bool:
    """Whether the softmax has one more logit, without a key."""
    model = model_of(config)
    return model in SINKS or (model in SINKS_IN_WINDOWS and kind == "sliding_attention")


def budget(config: Mapping[str, Any]) -> int | None:
    """Keys that an indexer keeps, by scores with a rotation of their own."""
    said = config.get("index_topk", config.get("indexer_budget"))
    return said if isinstance(said, int) else None
