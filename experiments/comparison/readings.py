"""How a trained model is read: as it is; the rotary one with other frequencies; and with one thing changed.

What is changed is an intervention: if the cause that a page tells is the cause, the numbers change as it says. What
each is expected to show, and what would refute it, stands in the protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from copy import deepcopy
from math import pi, sqrt

import torch
from torch import Tensor

from experiments.comparison.contestants import D_HEAD, HEADS, LAYERS, Model
from experiments.comparison.slots import ClippedBias, ClippedRotary, Hidden, Lowered
from experiments.comparison.tasks import FAR
from posenc_lib import Slots
from posenc_lib.extension import interpolate, llama3, ntk, temperature, yarn
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

Change = Callable[[list[Slots], int, int], list[Slots]]  # of a model's slots; the trained length, and how many times it


def with_freqs(make: Callable[[Tensor, float, int], Tensor], scaled: bool = False) -> Change:
    def change(slots: list[Slots], trained: int, times: int) -> list[Slots]:
        scale = temperature(times) ** 2 / sqrt(D_HEAD) if scaled else None
        freqs = make(geometric_freqs(D_HEAD), float(times), trained)
        return [Slots(transform=Rotary(freqs), scale=scale)] * LAYERS

    return change


def last_trained(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    """Each bucket that begins beyond the largest trained distance, trained - 1, has the numbers of the one before."""
    changed = deepcopy(slots)
    for layer in changed:
        last = int((layer.bias.edges < trained).sum())
        layer.bias.table.data[last + 1 :] = layer.bias.table.data[last]
    return changed


def far_hidden(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    """Keys at distances that no text of training had."""
    return [replaced(layer, bias=Hidden(layer.bias, trained)) for layer in slots]


def as_many(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    """Keys far back weigh together what as many as in training would: those of T5's last bucket; else the untrained."""
    edges = [int(layer.bias.edges[-1]) if layer.bias else 0 for layer in slots]
    return [
        replaced(layer, bias=Lowered(layer.bias, edge or trained, edge, trained))
        for layer, edge in zip(slots, edges, strict=True)
    ]


def clipped(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    """All farther distances count as the largest trained one."""
    if slots[0].transform is not None:
        return [ClippedRotary(layer.transform.freqs, trained - 1, torch.inf).slots() for layer in slots]
    return [Slots(bias=ClippedBias(layer.bias, trained - 1)) for layer in slots]


def unseen_phases_clipped(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    """The same for those pairs only that do not go round within the trained length."""
    slower = 2 * pi / (trained - 1)
    return [ClippedRotary(layer.transform.freqs, trained - 1, slower).slots() for layer in slots]


def without_position(slots: list[Slots], trained: int, times: int) -> list[Slots]:
    return [Slots()] * LAYERS


def replaced(slots: Slots, **changed: object) -> Slots:
    names = ("transform", "bias", "content_bias", "weights", "average", "value_bias", "scale")
    return Slots(**({name: getattr(slots, name) for name in names} | changed))


SCALED = {
    "interpolated": with_freqs(lambda freqs, factor, trained: interpolate(freqs, factor)),
    "ntk": with_freqs(lambda freqs, factor, trained: ntk(freqs, factor)),
    "yarn": with_freqs(yarn, scaled=True),
    "llama 3": with_freqs(llama3),
}
"""The trained rotary model with other frequencies: contestants of their own, at each length but the trained one."""

FILLED, HIDDEN, CLIPPED = "last trained bucket", "far keys hidden", "distances clipped"
PHASES, PLAIN, AS_MANY = "unseen phases clipped", "without position", "far keys as many as in training"
CHANGED: dict[str, dict[str, Change]] = {
    "none": {HIDDEN: far_hidden, AS_MANY: as_many},
    "shaw 16": {HIDDEN: far_hidden, PLAIN: without_position},
    "t5 32": {FILLED: last_trained, HIDDEN: far_hidden, AS_MANY: as_many},
    "t5 64": {FILLED: last_trained, HIDDEN: far_hidden},
    "t5 128": {FILLED: last_trained, HIDDEN: far_hidden, PLAIN: without_position},
    "alibi": {HIDDEN: far_hidden, CLIPPED: clipped, PLAIN: without_position},
    "kerple": {HIDDEN: far_hidden, CLIPPED: clipped},
    "rotary": {HIDDEN: far_hidden, CLIPPED: clipped, PHASES: unseen_phases_clipped, PLAIN: without_position},
    "rotary 14": {HIDDEN: far_hidden, CLIPPED: clipped, PLAIN: without_position},
}
"""Read at eight times the trained length; without position also at the trained one, where the others change nothing."""


def readings(name: str, times: int) -> dict[str, Change]:
    """All but the model as it is, by name."""
    scaled = SCALED if name == "rotary" and times > 1 else {}
    changed = CHANGED.get(name, {}).items()
    read = {what: change for what, change in changed if times == FAR or (times == 1 and what == PLAIN)}
    return scaled | {f"{name}: {what}": change for what, change in read.items()}


@contextmanager
def without_head(model: Model, layer: int, head: int):
    """Nothing of what this head finds reaches the rest of the model."""

    def silence(module: torch.nn.Module, given: tuple[Tensor]) -> tuple[Tensor]:
        silent = given[0].clone()
        silent.unflatten(-1, (HEADS, D_HEAD))[..., head, :] = 0
        return (silent,)

    hook = model.layers.layers[layer].self_attention.to_out.register_forward_pre_hook(silence)
    try:
        yield
    finally:
        hook.remove()
