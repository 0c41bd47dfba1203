"""Reads GGUF, the format of llama.cpp: a header of keys and values, a list of tensors, then their bytes, quantised.

The header is read here, since the reader of the package `gguf` takes seconds for a vocabulary; the package itself
knows how each kind of quantisation is undone. q and k of `llama` files are in the interleaved layout, reordered by the
program that wrote them; of `qwen2`, in halves, as they were released.

Source: github.com/ggml-org/ggml, docs/gguf.md; `LlamaModel.permute` in convert_hf_to_gguf.py of llama.cpp.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from functools import cache, partial
from importlib import metadata
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import numpy as np
import torch
from torch import Tensor

from bookkit.released_model.checkpoint import Checkpoint, renamed, require_family
from bookkit.released_model.tokens import from_gguf

SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
STRING, ARRAY = 8, 9
BLOCKS = 2**13
KINDS, VERSION = {*gguf.GGMLQuantizationType}, metadata.version("gguf")
LAYOUTS = {"llama": "interleaved", "qwen2": "half"}
NAMES = {"token_embd.weight": "embed.weight", "output_norm.weight": "norm.weight", "output.weight": "to_scores.weight"}
LAYER = {"attn_q": "to_q", "attn_k": "to_k", "attn_v": "to_v", "attn_output": "to_out", "attn_norm": "norm_attention"}
LAYER |= {"ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down", "ffn_norm": "norm_feed_forward"}
KEYS = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "max_position_embeddings": "context_length",
    "sliding_window": "attention.sliding_window",
    "num_experts": "expert_count",
}
SCALING = {
    "type": "type",
    "factor": "factor",
    "original_context_length": "original_max_position_embeddings",
    "yarn_beta_fast": "beta_fast",
    "yarn_beta_slow": "beta_slow",
}


class Entry(NamedTuple):
    """A tensor in the list: its shape, its kind of quantisation, and where its bytes begin."""

    shape: tuple[int, ...]
    kind: int
    offset: int


class Header:
    """The keys and values, and the list of tensors, read from the front."""

    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self.data, self.at, self.path = data, 4, path
        if data[:4] != b"GGUF":
            raise ValueError(f"{path} is no GGUF file: it begins with {data[:4]!r}")
        if (version := self.number("I")) not in (2, 3):
            raise ValueError(f"{path} is GGUF of version {version}; what can be read here: 2 and 3")
        tensors, keys = self.take("<QQ")
        self.fields = {self.string(): self.value(self.number("I")) for _ in range(keys)}
        self.tensors = {self.string(): self.entry() for _ in range(tensors)}
        align = self.fields.get("general.alignment", 32)
        self.start = -(-self.at // align) * align

    def take(self, form: str) -> tuple:
        try:
            found = struct.unpack_from(form, self.data, self.at)
        except struct.error:
            raise truncated(self.path) from None
        self.at += struct.calcsize(form)
        return found

    def number(self, form: str) -> Any:
        return self.take(f"<{form}")[0]

    def string(self) -> str:
        return self.number(f"{self.bounded(self.number('Q'))}s").decode("utf-8", "replace")

    def bounded(self, n: int) -> int:
        if n > len(self.data) - self.at:
            raise truncated(self.path)
        return n

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            return self.number(self.form(kind))
        item, n = self.take("<IQ")
        if item in (STRING, ARRAY):
            return [self.value(item) for _ in range(self.bounded(n))]
        return list(self.take(f"<{self.bounded(n)}{self.form(item)}"))

    def form(self, kind: int) -> str:
        if kind not in SCALARS:
            raise ValueError(f"{self.path} holds a value of kind {kind}, which GGUF does not have: the file is damaged")
        return SCALARS[kind]

    def entry(self) -> Entry:
        axes = self.number("I")
        shape = self.take(f"<{self.bounded(axes)}Q")
        return Entry(shape[::-1], *self.take("<IQ"))


def truncated(path: Path) -> ValueError:
    return ValueError(f"{path} ends before its last tensor does: it is truncated; fetch it again")


def read(path: Path) -> Checkpoint:
    if not path.stat().st_size:
        raise truncated(path)
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = Header(data, path)
    family = require_family(header.fields.get("general.architecture"), path)
    readers = {name: reader(header, entry) for name, entry in header.tensors.items()}
    factors = readers.pop("rope_freqs.weight", lambda: None)()
    weights = {renamed(NAMES, LAYER, "blk.", name) or name: read for name, read in readers.items()}
    return Checkpoint(configuration(header, family), weights, LAYOUTS[family], from_gguf(header.fields), factors)


def reader(header: Header, entry: Entry) -> Callable[[], Tensor]:
    """Reads one tensor; that its bytes are all there is looked at before."""
    if entry.kind not in KINDS:
        raise ValueError(f"{header.path} holds a tensor of kind {entry.kind}, which gguf {VERSION} does not know")
    kind = gguf.GGMLQuantizationType(entry.kind)
    begin, (numbers, size) = header.start + entry.offset, gguf.GGML_QUANT_SIZES[kind]
    length = prod(entry.shape) // numbers * size
    if begin + length > len(header.data):
        raise truncated(header.path)
    return cache(partial(dequantised, header.data, begin, length, size * BLOCKS, kind, entry.shape))


def dequantised(
    data: mmap.mmap, begin: int, length: int, step: int, kind: gguf.GGMLQuantizationType, shape: tuple[int, ...]
) -> Tensor:
    """By so many blocks at a time that they stay in the processor's cache."""
    raw, made, done = np.frombuffer(data, np.uint8, length, begin), np.empty(prod(shape), np.float32), 0
    for part in (gguf.dequantize(raw[at : at + step], kind) for at in range(0, length, step)):
        made[done : done + len(part)] = part
        done += len(part)
    return torch.from_numpy(made.reshape(shape))


def configuration(header: Header, family: str) -> dict[str, Any]:
    """In the form of transformers."""
    own = {key.removeprefix(f"{family}."): value for key, value in header.fields.items()}
    config = {key: own[theirs] for key, theirs in KEYS.items() if theirs in own}
    scaling = {key.removeprefix("rope.scaling."): own[key] for key in own if key.startswith("rope.scaling.")}
    rope = {SCALING.get(key, key): value for key, value in scaling.items() if scaling.get("type", "none") != "none"}
    heads = config.get("num_attention_heads", 1)
    rotated = own.get("rope.dimension_count", config.get("head_dim", config.get("hidden_size", 0) // heads))
    head = config.setdefault("head_dim", config.get("hidden_size", 0) // heads)
    partial = {} if rotated == head else {"partial_rotary_factor": rotated / head}
    return {"model_type": family, "rope_theta": 10_000.0, **config, "rope_scaling": rope or None, **partial}
