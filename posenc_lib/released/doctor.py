"""The layers of a released model in a few lines: those that do the same stand together."""

from __future__ import annotations

from posenc_lib.released.layers import Layer

__all__ = []


def by_layer(layers: list[Layer]) -> str:
    """A line for each thing that layers do, and one for the keys that were not read."""
    same: dict[Layer, list[int]] = {}
    for layer in layers:
        same.setdefault(layer._replace(index=0), []).append(layer.index)
    lines = [f"{_spans(found)}: {_said(layer)}" for layer, found in same.items()]
    unread = sorted({key for layer in layers for key in layer.not_read})
    return "\n".join([*lines, *(f"not read, and may change the layers above: {key}" for key in unread)])


def _said(layer: Layer) -> str:
    parts = [layer.kind, layer.encoding if not layer.rotated else f"rotary, base {layer.base:g}"]
    if layer.rotated:
        parts.append(f"{layer.rotated_features} of {layer.head_features} features, {layer.layout or 'layout unknown'}")
        parts.append(f"{layer.scaling} {layer.factor or ''}".strip() if layer.scaling else "no scaling")
    parts += [f"window {layer.window}"] if layer.window else []
    parts += ["sink"] if layer.sink else []
    parts += [f"indexer keeps {layer.indexer}"] if layer.indexer else []
    return ", ".join(part for part in parts if part)


def _spans(found: list[int]) -> str:
    """Layers 0 to 2, 4: neighbours as a span."""
    spans: list[list[int]] = []
    for i in found:
        if spans and spans[-1][-1] == i - 1:
            spans[-1].append(i)
        else:
            spans.append([i])
    said = [f"{span[0]} to {span[-1]}" if len(span) > 1 else str(span[0]) for span in spans]
    return f"layer{'s' * (len(found) > 1)} {', '.join(said)}"
