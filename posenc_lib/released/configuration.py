"""A released configuration, in the form of transformers: its values are found here, and checked as they are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from posenc_lib.border import Rule, border, even, number, together
from posenc_lib.border.numbers import shown
from posenc_lib.pairs import geometric_freqs
from posenc_lib.released.limits import require_one_for_all
from posenc_lib.released.models import kinds
from posenc_lib.released.single import ROPE
from posenc_lib.released.values import base, features, length, mapping, numbers, ratio, real, share

__all__ = []

TRAINED = "original_max_position_embeddings"
WIDTHS = ("head_dim", "qk_rope_head_dim", "attention_head_dim", "kv_channels")
SIZES = {"hidden_size", "num_attention_heads", "max_position_embeddings"}
BESIDE = {"rope_theta", "partial_rotary_factor", TRAINED} | SIZES
"""What may stand beside the rope parameters; in older files some of it does that is inside in newer ones."""


@dataclass
class Reader:
    """The values of one configuration, each checked by the rule with which it is read."""

    config: Mapping[str, Any]
    rope: Mapping[str, Any]
    whole: Mapping[str, Any]  # the same, with what the caller handles
    layer_type: str | None
    nested: bool
    rope_type: str
    n: int | None
    d: int | None

    def find(self, key: str, rule: Rule, default: Any = None) -> Any:
        """The value inside the rope parameters, or beside them, or the default."""
        inside, beside = self.rope.get(key), self.config.get(key) if key in BESIDE else None
        if not self.nested and inside is not None and beside is not None and inside != beside:
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
        said = {"d": self.d} if self.d is not None else self._own_width() or {k: self.config.get(k) for k in WIDTHS}
        said = {features(key, d) for key, d in said.items() if d is not None} or self._shares_of_the_width()
        if len(said) != 1:
            raise ValueError("the configuration does not say how many features a head has: pass d")
        return said.pop()

    def _own_width(self) -> dict[str, Any]:
        """Of one type of layer: in Gemma 4 the layers without a window have wider heads."""
        own = self.config.get("global_head_dim") if self.layer_type == "full_attention" else None
        return {} if own is None else {"global_head_dim": own}

    def _shares_of_the_width(self) -> set[int]:
        width, heads = self.need("hidden_size", length), self.need("num_attention_heads", length)
        return set() if width % heads else {features("hidden_size / num_attention_heads", width // heads)}

    def freqs(self) -> Tensor:
        rotated = int(self.head() * self.find("partial_rotary_factor", share, 1.0))
        return geometric_freqs(even("their number", rotated), self.need("rope_theta", base))

    def factors(self, key: str) -> Tensor:
        return torch.tensor(self.need(key, numbers), dtype=torch.float64)


_ONE_FOR_ALL = together(
    lambda config, nested, layer_type: nested or layer_type is None or layer_type in kinds(config),
    lambda config, nested, layer_type: (
        f"the configuration has one rotary encoding for all layers; got layer_type {shown(layer_type)}"
    ),
)
_LAYER = together(
    lambda layers, nested, layer_type: not nested or layer_type in layers,
    lambda layers, nested, layer_type: (
        f"the layers differ: layer_type must be one of {', '.join(map(str, layers)):.200}; got {shown(layer_type)}"
    ),
)


def rope_parameters(
    config: Mapping[str, Any], layer_type: str | None, handled: Collection[str]
) -> tuple[Mapping[str, Any] | None, bool]:
    """The rope parameters of one type of layer, None if it has none, and whether other layers have others."""
    keys = [key for key in ROPE if config.get(key) is not None]
    rope, *others = [mapping("rope parameters", config[key]) for key in keys] or [{}]
    layers = [key for key, value in rope.items() if isinstance(value, Mapping) or value is None]
    nested = any(isinstance(rope[key], Mapping) for key in layers)
    if any(other != rope for other in others):
        raise ValueError("rope_scaling and rope_parameters contradict each other; leave one out")
    if not nested:
        require_one_for_all(config, rope)
    of_layer = _of_layer(config, rope, layers, nested, layer_type)
    if nested:
        require_known(set(rope) - set(layers) - set(handled), "a dictionary of layer types")
    return of_layer, nested


@border(_ONE_FOR_ALL, _LAYER)
def _of_layer(
    config: Mapping[str, Any], rope: dict[str, Any], layers: list[str], nested: bool, layer_type: Any
) -> Mapping[str, Any] | None:
    own = rope[layer_type] if nested else rope
    return None if own is None else mapping("rope parameters", own)


def require_known(unknown: set[str], where: str) -> None:
    if unknown:
        raise ValueError(
            f"{where} has no key {shown(min(map(str, unknown)))} that is known here: it may change frequencies. If you "
            "handle it yourself, name it in handled"
        )
