"""What a released model does with positions, layer by layer, as far as its configuration and its class say it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from posenc_lib.border import border
from posenc_lib.released.configuration import Reader
from posenc_lib.released.facts import Indexer, indexer, is_known, layout, not_read, other_encoding, sink, window
from posenc_lib.released.limits import require_rotary_text
from posenc_lib.released.models import FACTS, is_unrotated, kinds, model_of, rotates
from posenc_lib.released.rope import read_by, reader_of, seen, unknown
from posenc_lib.released.single import of_layer
from posenc_lib.released.values import base, features, length, mapping, names

__all__ = ["Layer", "layers"]


class Layer(NamedTuple):
    """One layer. Features and window are those of its attention; what does not apply, or is not known, is None."""

    index: int
    kind: str | None  # as layer_types has it
    rotated: bool | None  # None where nobody can know
    encoding: str  # rotary, none, no attention, or the name of another
    base: float | None = None
    head_features: int | None = None
    rotated_features: int | None = None
    layout: str | None = None  # half or interleaved
    scaling: str | None = None
    factor: float | None = None
    window: int | None = None
    sink: bool = False
    indexer: Indexer | None = None
    not_read: tuple[str, ...] = ()  # keys that may change what stands here


@border(config=mapping, n=length, d=features, handled=names)
def layers(
    config: Mapping[str, Any], *, n: int | None = None, d: int | None = None, handled: Collection[str] = ()
) -> list[Layer]:
    """Each layer of a released model: rotated or not, base, features, scaling, window, and what else counts positions.

    Arguments are those of `released_rope`, which reads a single kind of layer; n is `max_position_embeddings` by
    default. A key that is unknown and may change a layer is no error here: `not_read` names it. If transformers has no
    class of this `model_type`, nobody can know which layers are rotated, and `rotated` is None.

    Refused: a configuration without the number of its layers, and what `released_rope` refuses but for unknown keys.

    Source: the classes of transformers 5.23.

    >>> smol = {"head_dim": 64, "rope_theta": 1e6, "max_position_embeddings": 8192, "no_rope_layers": [1, 1, 1, 0]}
    >>> [layer.rotated for layer in layers(smol | {"num_hidden_layers": 4})]
    [True, True, True, False]
    """
    config = seen(config, handled)
    other = other_encoding(config) or ("none" if is_unrotated(config) else None)
    if other is None:
        require_rotary_text(config, handled)
    return [_layer(config, i, other, n, d, handled) for i in range(len(_known_kinds(config)))]


def _known_kinds(config: Mapping[str, Any]) -> list[str | None]:
    found, windows = kinds(config), {*FACTS["in_windows"], *FACTS["plain_in_windows"]}
    if not found:
        raise ValueError("the configuration must say how many layers there are, as num_hidden_layers or layer_types")
    if None in found and model_of(config) in windows:
        raise ValueError(f"some layers of {model_of(config)} have windows: layer_types must say which")
    return found


def _layer(
    config: Mapping[str, Any], i: int, other: str | None, n: int | None, d: int | None, handled: Collection[str]
) -> Layer:
    kind = kinds(config)[i]
    if kind in FACTS["no_attention"] or other == "no attention":
        return Layer(i, kind, False, "no attention")
    rope = reader_of(of_layer(config, i), kind, n, d, handled) if other is None and rotates(config, i) else None
    own = Layer(i, kind, False, other or "none") if rope is None else _rotated(i, kind, rope)
    return own._replace(
        window=window(config, i),
        sink=sink(config, kind),
        indexer=indexer(config, i, own.rotated_features),
        not_read=tuple(sorted({*own.not_read, *not_read(config)})),
    )


def _rotated(i: int, kind: str | None, rope: Reader) -> Layer:
    freqs = read_by(replace(rope, n=rope.n or rope.find("max_position_embeddings", length))).freqs
    nope = rope.config.get("qk_nope_head_dim") if rope.head() == rope.config.get("qk_rope_head_dim") else None
    return Layer(
        i,
        kind,
        rotated=True if is_known(rope.config) else None,
        encoding="rotary",
        base=rope.need("rope_theta", base),
        head_features=rope.head() + (length("qk_nope_head_dim", nope) if nope else 0),
        rotated_features=2 * int((freqs > 0).sum()),
        layout=layout(rope.config),
        scaling=None if rope.rope_type == "default" else rope.rope_type,
        factor=rope.find("factor", lambda name, value: value),
        not_read=tuple(set().union(*unknown(rope).values())),
    )
