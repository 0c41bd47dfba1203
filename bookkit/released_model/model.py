"""Makes the library's `Llama` of a checkpoint, its q and k in the layout that is asked for.

smollm = load()
ids = smollm.ids("The capital of France is")
smollm.model(ids)                                         # scores [1, n, n_tokens]
smollm.losses(ids, slots=smollm.slots(smollm.freqs / 2))  # nats a token, with other frequencies
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy

from bookkit.released_model import gguf, safetensors
from bookkit.released_model.checkpoint import Checkpoint
from bookkit.smollm import require_kept
from posenc_lib import Rotary, Slots, convert_layout, released_rope
from posenc_lib.extension import SlidingWindow, longrope
from posenc_lib.pairs import Layout
from posenc_lib.transformer import Llama, continued

NEEDED = ("hidden_size", "num_attention_heads", "intermediate_size", "num_hidden_layers", "rms_norm_eps")


@dataclass(frozen=True)
class ReleasedModel:
    """A model that runs, and what its file says about positions."""

    model: Llama
    config: dict[str, Any]
    freqs: Float[Tensor, " pairs"]
    attention_factor: float
    layout: Layout
    tokenizer: Tokenizer | None

    def slots(self, freqs: Tensor | None = None, factor: float | None = None, **more: Any) -> Slots:
        """As released, but for what is given: frequencies, the factor on cosines and sines, and other slots."""
        rotary = Rotary(self.freqs if freqs is None else freqs, self.layout)
        factor = self.attention_factor if factor is None else factor
        given = {
            "transform": rotary,
            "bias": window(self.config),
            "scale": factor**2 * self.model.layers[0].d_head ** -0.5,
        }
        return Slots(**given | more)

    def ids(self, text: str) -> Int[Tensor, "1 n"]:
        if self.tokenizer is None:
            raise ValueError("this file's tokenizer is not known here; pass tokens, made with its own")
        return torch.tensor([self.tokenizer.encode(text).ids])

    def text(self, ids: Int[Tensor, "1 n"]) -> str:
        return self.tokenizer.decode(ids[0].tolist(), skip_special_tokens=False)

    @torch.no_grad()
    def losses(self, ids: Int[Tensor, "1 n"], **given: Any) -> Float[Tensor, " n-1"]:
        """Nats for each token but the first; `given` as in `Llama`."""
        return cross_entropy(self.model(ids, **given)[0, :-1].float(), ids[0, 1:], reduction="none")

    def write(self, prompt: str, steps: int = 20, *, slots: Any = None) -> str:
        """How the model goes on, always with the most probable token."""
        return self.text(continued(self.model, self.ids(prompt), steps, slots=slots))


def load(path: str | Path | None = None, *, layout: Layout = "interleaved", n: int | None = None) -> ReleasedModel:
    """SmolLM2-135M-Instruct, or the GGUF file, safetensors file or folder of any Llama, Mistral, Qwen2 or SmolLM.

    `layout` is what the pairs of q and k shall be in, whatever the file has. n is the length of the whole text, where
    the configuration makes frequencies depend on it.

    Refused: another architecture, a file that ends too soon, one that is no model, and what this decoder cannot do.
    """
    checkpoint = opened(require_kept() if path is None else Path(path))
    config, sizes = checkpoint.config, sizes_of(checkpoint)
    freqs, factor = rope(checkpoint, n)
    with torch.device("meta"):  # nothing to fill with random numbers first
        model = Llama(**sizes)
    fill(model, weights(checkpoint, sizes, [*model.state_dict()], layout))
    model = model.requires_grad_(False).eval()
    released = ReleasedModel(model, config, freqs, factor, layout, checkpoint.tokenizer)
    model.slots = released.slots()
    return released


def opened(path: Path) -> Checkpoint:
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    if path.is_dir() or path.suffix == ".safetensors":
        return safetensors.read(path)
    if path.suffix == ".gguf":
        return gguf.read(path)
    raise ValueError(f"{path} is no model that can be read here: a .gguf file, or a folder with .safetensors")


def rope(checkpoint: Checkpoint, n: int | None) -> tuple[Tensor, float]:
    """What is rotated, as the library reads it from the configuration."""
    freqs, factor = released_rope(checkpoint.config, n=n)
    if checkpoint.pair_factors is not None:
        freqs = longrope(freqs, checkpoint.pair_factors.double())
    return freqs, factor


def window(config: Mapping[str, Any]) -> SlidingWindow | None:
    width = config.get("sliding_window") if config.get("use_sliding_window", True) else None
    return None if width is None else SlidingWindow(width)


def sizes_of(checkpoint: Checkpoint) -> dict[str, Any]:
    config = checkpoint.config
    refuse(config)
    if missing := [key for key in NEEDED if config.get(key) is None]:
        raise ValueError(f"the configuration lacks {', '.join(missing)}: it is not that of a {config['model_type']}")
    if "embed.weight" not in checkpoint.weights:
        raise ValueError("the file holds no embedding: it is a part of a model; give the folder with all parts")
    return {
        "n_tokens": len(checkpoint.weights["embed.weight"]()),
        "d_model": config["hidden_size"],
        "h": config["num_attention_heads"],
        "d_ff": config["intermediate_size"],
        "n_layers": config["num_hidden_layers"],
        "kv_heads": config.get("num_key_value_heads"),
        "d_head": config.get("head_dim"),
        "eps": config["rms_norm_eps"],
        "qkv_bias": "layers.0.to_q.bias" in checkpoint.weights,
    }


def refuse(config: Mapping[str, Any]) -> None:
    """What would run, and give wrong numbers."""
    wrong = {
        "its layers have experts": config.get("num_experts"),
        "only a part of each head is rotated": config.get("partial_rotary_factor", 1.0) != 1.0,
        "its activation is not silu": config.get("hidden_act", "silu") != "silu",
        "its layers differ in their windows": config["model_type"] == "qwen2" and config.get("use_sliding_window"),
    }
    if found := [reason for reason, holds in wrong.items() if holds]:
        raise ValueError(f"this model does not run here: {'; '.join(found)}")


def weights(checkpoint: Checkpoint, sizes: dict[str, Any], wanted: list[str], layout: Layout) -> dict[str, Tensor]:
    """All that the decoder needs, and nothing left over. Without scores of its own, a file shares the embedding."""
    readers = {"to_scores.weight": checkpoint.weights.get("embed.weight"), **checkpoint.weights}
    readers = {name: read for name, read in readers.items() if not name.endswith("rotary_emb.inv_freq")}
    if missing := sorted({*wanted} - {*readers}):
        raise ValueError(f"the file lacks {len(missing)} tensors that a Llama needs, the first of them {missing[0]}")
    if extra := sorted({*readers} - {*wanted}):
        raise ValueError(f"the file holds {extra[0]}, for which this decoder has no place: it computes something else")
    heads = {"to_q": sizes["h"], "to_k": sizes["kv_heads"] or sizes["h"]}
    return {
        name: in_layout(read(), heads.get(name.split(".")[-2]), checkpoint.layout, layout)
        for name, read in readers.items()
    }


def fill(model: Llama, given: dict[str, Tensor]) -> None:
    if wrong := [name for name, x in model.state_dict().items() if x.shape != given[name].shape]:
        said, wanted = [*given[wrong[0]].shape], [*model.state_dict()[wrong[0]].shape]
        raise ValueError(f"{wrong[0]} is {said} in the file, and by its configuration {wanted}: they are of two models")
    model.load_state_dict(given, assign=True)


def in_layout(weight: Tensor, h: int | None, source: Layout, target: Layout) -> Tensor:
    return weight if h is None or source == target else convert_layout(weight, h, source=source, target=target)
