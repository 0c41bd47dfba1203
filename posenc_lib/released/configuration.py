"""The values of a released configuration, in the form of transformers: found, and checked where they are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from posenc_lib.inputs import (
    require_base,
    require_even,
    require_finite,
    require_number,
    require_positive,
    require_whole,
)
from posenc_lib.pairs import geometric_freqs

__all__ = []

TRAINED = "original_max_position_embeddings"
SIZES = {"hidden_size", "num_attention_heads", "max_position_embeddings"}
BESIDE = {"rope_theta", "partial_rotary_factor", TRAINED} | SIZES
"""What may stand beside the rope parameters; in older files some of it does that is inside in newer ones."""


@dataclass
class Reader:
    """The values of one configuration, each checked where it is read."""

    config: Mapping[str, Any]
    rope: Mapping[str, Any]
    nested: bool
    rope_type: str
    n: int | None
    d: int | None

    def find(self, key: str) -> Any:
        """The value inside the rope parameters, or beside them; None if there is none."""
        inside, beside = self.rope.get(key), self.config.get(key) if key in BESIDE else None
        if not self.nested and inside is not None and beside is not None and inside != beside:
            raise ValueError(f"two values of {key} contradict each other: {inside!r} and {beside!r}; leave one out")
        return beside if inside is None else inside

    def need(self, key: str) -> Any:
        value = self.find(key)
        if value is None:
            raise ValueError(
                f"rope type {self.rope_type} needs {key}, and the configuration has none. Of a configuration with "
                "parts, such as text_config, pass the part; what transformers takes by default, write into it"
            )
        return value

    def whole(self, key: str) -> int:
        value = self.need(key)
        require_whole(least=1, **{key: value})
        return int(value)

    def positive(self, key: str, default: float | None = None) -> float:
        value = self.need(key) if default is None else self.find(key)
        value = default if value is None else value
        require_positive(**{key: value})
        return float(value)

    def weight(self, key: str) -> float | None:
        """A number that counts for nothing if it is 0, as in transformers."""
        value = self.find(key)
        require_number(**{key: 0 if value is None else value})
        return self.positive(key) if value else None

    def factor(self) -> float:
        value = self.find("factor")
        if value is None and self.rope_type in ("yarn", "longrope"):
            value = self.whole("max_position_embeddings") / self.whole(TRAINED)
        value = self.need("factor") if value is None else value
        require_finite(factor=value)
        if value < 1:
            raise ValueError(f"factor must be at least 1: the new length over the trained one; got {value}")
        return float(value)

    def length(self) -> int:
        if self.n is None:
            raise ValueError(f"with rope type {self.rope_type} the length of the text decides: pass it as n")
        return self.n

    def share(self) -> float:
        share = self.positive("partial_rotary_factor", 1.0)
        if share > 1:
            raise ValueError(f"partial_rotary_factor is the share of the features that are rotated; got {share}")
        return share

    def features(self) -> int:
        """The features of a head."""
        said = [self.config[key] for key in ("head_dim", "qk_rope_head_dim") if self.config.get(key) is not None]
        if self.d is not None:
            said = [self.d]
        elif not said:
            width, heads = self.whole("hidden_size"), self.whole("num_attention_heads")
            said = [width // heads] if width % heads == 0 else []
        for d in said:
            require_even(d)
        if len(set(said)) != 1:
            raise ValueError("the configuration does not say how many features a head has: pass d")
        return said[0]

    def freqs(self) -> Tensor:
        base, rotated = self.positive("rope_theta"), int(self.features() * self.share())
        require_base(base)
        require_even(rotated)
        return geometric_freqs(rotated, base)

    def factors(self, key: str) -> Tensor:
        values = self.need(key)
        if not isinstance(values, (list, tuple)) or not values:
            raise TypeError(f"{key} must be a list of numbers; got {values!r}")
        require_number(**{f"{key}[{i}]": value for i, value in enumerate(values)})
        return torch.tensor(values, dtype=torch.float64)


def rope_parameters(
    config: Mapping[str, Any], layer_type: str | None, handled: Collection[str]
) -> tuple[Mapping[str, Any], bool]:
    """The rope parameters of one type of layer, and whether other layers have others."""
    given = [config[key] for key in ("rope_scaling", "rope_parameters") if config.get(key) is not None]
    for each in given:
        require_mapping("rope parameters", each)
    if len(given) == 2 and given[0] != given[1]:
        raise ValueError("rope_scaling and rope_parameters contradict each other; leave one out")
    rope = given[0] if given else {}
    layers = [key for key, value in rope.items() if isinstance(value, Mapping) or value is None]
    if not any(isinstance(rope[key], Mapping) for key in layers):
        if layer_type is not None:
            raise ValueError(f"the configuration has one rotary encoding for all layers; got layer_type {layer_type!r}")
        return rope, False
    require_known(set(rope) - set(layers) - set(handled), "a dictionary of layer types")
    if layer_type not in layers:
        raise ValueError(f"the layers differ: layer_type must be one of {', '.join(layers)}; got {layer_type!r}")
    if rope[layer_type] is None:
        raise ValueError(f"layers of type {layer_type} are not rotated")
    return rope[layer_type], True


def require_known(unknown: set[str], where: str) -> None:
    if unknown:
        raise ValueError(
            f"{where} has no key {sorted(map(str, unknown))[0]!r} that is known here: it may change frequencies. If "
            "you see to it yourself, name it in handled"
        )


def require_mapping(name: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a dictionary, as json.load gives it; got {type(given).__name__}")
