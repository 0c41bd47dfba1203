"""Reads safetensors, the format of Hugging Face: a folder with config.json and one file of weights, or several.

q and k are in halves, as transformers has them.
"""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from bookkit.released_model.checkpoint import Checkpoint, renamed, require_family
from bookkit.released_model.tokens import beside

NAMES = {"model.embed_tokens.weight": "embed.weight", "model.norm.weight": "norm.weight"}
NAMES |= {"lm_head.weight": "to_scores.weight"}
LAYER = {f"self_attn.{x}_proj": f"to_{x}" for x in "qkv"} | {"self_attn.o_proj": "to_out"}
LAYER |= {f"mlp.{x}_proj": x for x in ("gate", "up", "down")}
LAYER |= {"input_layernorm": "norm_attention", "post_attention_layernorm": "norm_feed_forward"}


def read(path: Path) -> Checkpoint:
    """Of a folder, or of the one file in it that holds all weights."""
    folder, files = (path, sorted(path.glob("*.safetensors"))) if path.is_dir() else (path.parent, [path])
    config_file = folder / "config.json"
    if not files or not config_file.is_file():
        raise FileNotFoundError(f"{folder} must hold config.json and *.safetensors, as a model is released")
    config = json.loads(config_file.read_text(encoding="utf-8"))
    require_family(config.get("model_type"), path)
    weights = {name: cache(partial(tensor, file, name)) for file in files for name in names(file)}
    ours = {renamed(NAMES, LAYER, "model.layers.", name) or name: read for name, read in weights.items()}
    return Checkpoint(config, ours, "half", beside(folder))


def names(file: Path) -> list[str]:
    try:
        with safe_open(file, "pt") as opened:
            return list(opened.keys())
    except SafetensorError as error:
        raise ValueError(f"{file} is truncated, or no safetensors file: {error}") from None


def tensor(file: Path, name: str) -> Tensor:
    with safe_open(file, "pt") as opened:
        found = opened.get_tensor(name)
    if not found.is_floating_point():
        raise ValueError(f"{name} is quantised, in {found.dtype}; what runs here: files in floating point, or GGUF")
    return found.to(torch.float32)
