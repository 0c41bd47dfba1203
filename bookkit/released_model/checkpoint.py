"""What a file of a Llama-type model holds, whatever its format, in the names of the library's `Llama`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer
from torch import Tensor

from posenc_lib.pairs import Layout

FAMILIES = ("llama", "mistral", "qwen2")


@dataclass(frozen=True)
class Checkpoint:
    """A configuration in the form of transformers, and weights by our names, each read once, when asked for."""

    config: dict[str, Any]
    weights: Mapping[str, Callable[[], Tensor]]
    layout: Layout  # in which its q and k pair their features
    tokenizer: Tokenizer | None
    pair_factors: Tensor | None = None  # by which frequencies are divided, where a file says so apart


def require_family(name: Any, path: Any) -> str:
    if name in FAMILIES:
        return name
    raise ValueError(f"{path} holds a model of the architecture {name!r}; what runs here: {', '.join(FAMILIES)}")


def renamed(names: Mapping[str, str], layer: Mapping[str, str], prefix: str, theirs: str) -> str | None:
    """Our name of a tensor, or None where there is none: their layers are `prefix`, a number, and a name."""
    if not theirs.startswith(prefix):
        return names.get(theirs)
    number, _, rest = theirs.removeprefix(prefix).partition(".")
    part, _, kind = rest.rpartition(".")
    return f"layers.{number}.{layer[part]}.{kind}" if part in layer and number.isdigit() else None


def named_back(names: Mapping[str, str], layer: Mapping[str, str], prefix: str, ours: str) -> str:
    """Their name of one of our tensors: `renamed`, turned round."""
    if not ours.startswith("layers."):
        return {mine: theirs for theirs, mine in names.items()}[ours]
    _, number, part, kind = ours.split(".")
    return f"{prefix}{number}.{ {mine: theirs for theirs, mine in layer.items()}[part] }.{kind}"
