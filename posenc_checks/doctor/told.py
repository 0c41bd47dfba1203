"""The layers of a released model in a few lines: those that do the same stand together."""

from __future__ import annotations

from textwrap import TextWrapper

from posenc_checks.doctor.watch import Trap
from posenc_lib.released.facts import Indexer
from posenc_lib.released.layer import Layer

WRAP = TextWrapper(80, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def told(layers: list[Layer], watch: list[Trap]) -> str:
    """A line for each thing that layers do, for each key that was not read, and for each trap."""
    lines = [f"{spans(found)}: {_said(layer)}" for layer, found in alike(layers).items()]
    for key in unread(layers):
        lines.append(f"not read: {key} may change {spans([each.index for each in layers if key in each.not_read])}")
    lines += [f"watch: {trap.what} ({trap.page}; {trap.thread})" for trap in watch]
    return "\n".join(WRAP.fill(line) for line in lines)


def unread(layers: list[Layer]) -> list[str]:
    return sorted({key for layer in layers for key in layer.not_read})


def as_json(layers: list[Layer], watch: list[Trap], probe: list[str] | None) -> dict:
    own = [each._replace(indexer=each.indexer and each.indexer._asdict())._asdict() for each in layers]
    return {"layers": own, "unread": unread(layers), "watch": [trap._asdict() for trap in watch], "probe": probe}


def alike(layers: list[Layer]) -> dict[Layer, list[int]]:
    same: dict[Layer, list[int]] = {}
    for layer in layers:
        same.setdefault(layer._replace(index=0), []).append(layer.index)
    return same


def _said(layer: Layer) -> str:
    parts = [layer.kind, layer.encoding if layer.base is None else f"{layer.encoding}, base {layer.base:g}"]
    if layer.base is not None:
        parts += ["if at all"] if layer.rotated is None else []
        parts.append(f"{layer.rotated_features} of {layer.head_features} features, {layer.layout or 'layout unknown'}")
        parts.append(scaled(layer) or "no scaling")
    parts += [f"window {layer.window}"] if layer.window else []
    parts += ["sink"] if layer.sink else []
    parts += [chooses(layer.indexer)] if layer.indexer else []
    return ", ".join(part for part in parts if part)


def scaled(layer: Layer) -> str:
    """The type of scaling with its factor; empty where there is none."""
    return f"{layer.scaling} {layer.factor or ''}".strip() if layer.scaling else ""


def chooses(indexer: Indexer) -> str:
    slice_ = f"{indexer.end} {indexer.rotated_features} of {indexer.head_features} features, {indexer.layout}"
    parts = ["not rotated" if indexer.rotated_features is None else slice_, indexer.pooling]
    return f"indexer keeps {indexer.keeps} ({', '.join(part for part in parts if part)})"


def spans(found: list[int]) -> str:
    """Layers 0 to 2, 4: neighbours as a span."""
    ends = [i for i in found if i - 1 not in found], [i for i in found if i + 1 not in found]
    said = [str(a) if a == b else f"{a} to {b}" for a, b in zip(*ends, strict=True)]
    return f"layer{'s' * (len(found) > 1)} {', '.join(said)}"
