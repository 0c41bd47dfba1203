"""A released configuration, in the form of transformers: its values are found here, and checked as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from posenc_lib.border import Rule, even, number
from posenc_lib.border.numbers import shown
from posenc_lib.pairs import geometric_freqs
from posenc_lib.released.values import base, features, length, numbers, ratio, real, share

__all__ = []

TRAINED = "original_max_position_embeddings"
WIDTHS = ("head_dim", "qk_rope_head_dim", "attention_head_dim", "kv_channels")
SIZES = {"hidden_size", "num_attention_heads", "max_position_embeddings"}
BESIDE = {"rope_theta", "partial_rotary_factor", TRAINED} | SIZES
"""What may stand beside the rope parameters; in older files some of it does that is inside in newer ones."""


@dataclass
class Reader:
    """The values of the configuration of one layer, each checked by the rule with which it is read."""

    config: Mapping[str, Any]
    rope: Mapping[str, Any]
    whole: Mapping[str, Any]  # the same, with what the caller handles
    rope_type: str
    n: int | None
    d: int | None

    def find(self, key: str, rule: Rule, default: Any = None) -> Any:
        """The value inside the rope parameters, or beside them, or the default."""
        inside, beside = self.rope.get(key), self.config.get(key) if key in BESIDE else None
        if inside is not None and beside is not None and inside != beside:
            both = f"{shown(inside)} and {shown(beside)}"
            raise ValueError(f"two values of {key} contradict each other: {both}; leave one out")
        value = beside if inside is None else inside
        return default if value is None else rule(key, value)

    def need(self, key: str, rule: Rule) -> Any:
        if (value := self.find(key, rule)) is None:
            raise ValueError(
                f"rope type {self.rope_type} needs {key}, and the configuration has none. If the configuration has "
                "parts, pass the one for the text; write into it what transformers takes by default"
            )
        return value

    def given(self, rule: Rule, **keys: str) -> dict[str, Any]:
        """The arguments whose keys the configuration has: the others have a default where they are used."""
        found = {argument: self.find(key, rule) for argument, key in keys.items()}
        return {argument: value for argument, value in found.items() if value is not None}

    def weight(self, key: str) -> float | None:
        """A number that counts for nothing if it is 0, as in transformers."""
        return self.need(key, real) if self.find(key, number) else None

    def factor(self) -> float:
        if self.rope_type in ("yarn", "longrope") and self.find("factor", number) is None:
            return ratio("factor", self.need("max_position_embeddings", length) / self.need(TRAINED, length))
        return self.need("factor", ratio)

    def text_length(self) -> int:
        if self.n is None:
            raise ValueError(
                f"with rope type {self.rope_type} the frequencies depend on the length of the text: pass it as n"
            )
        return self.n

    def head(self) -> int:
        """How many features a head has."""
        said = {"d": self.d} if self.d is not None else {k: self.config.get(k) for k in WIDTHS}
        said = {features(key, d) for key, d in said.items() if d is not None} or self._shares_of_the_width()
        if len(said) == 2 and min(said) == max(said) * self.find("partial_rotary_factor", share, 1.0):
            return max(said)
        if len(said) != 1:
            raise ValueError("the configuration does not say how many features a head has: pass d")
        return said.pop()

    def _shares_of_the_width(self) -> set[int]:
        width, heads = self.need("hidden_size", length), self.need("num_attention_heads", length)
        return set() if width % heads else {features("hidden_size / num_attention_heads", width // heads)}

    def freqs(self) -> Tensor:
        rotated = int(self.head() * self.find("partial_rotary_factor", share, 1.0))
        return geometric_freqs(even("their number", rotated), self.need("rope_theta", base))

    def factors(self, key: str) -> Tensor:
        return torch.tensor(self.need(key, numbers), dtype=torch.float64)
