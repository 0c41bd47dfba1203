"""What a trained model is measured by: (reading, measure, times, number), from texts that no other use has."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from experiments.comparison.contestants import Model
from experiments.comparison.copying import copying
from experiments.comparison.readings import PLAIN, SCALED, readings
from experiments.comparison.tasks import FAR, TIMES, pairs_loss, quarters
from experiments.comparison.training import Training, overflows
from experiments.tasks import STRING
from posenc_lib.relative import Fire

PARTS = 32
"""Of the longest texts, for the curve of the loss by position."""

NOT_FINITE = {"loss": nan, "accuracy": nan}
"""What is found of a reading whose scores are not finite."""

Number = tuple[str, str, int, float]


def measured(training: Training, whole: bool = True) -> list[Number]:
    """For a run that chooses a rate its loss on the texts that are for this; for all others everything.

    If it is not to be whole, the model is read as it is, and with other frequencies, but nothing else is changed.
    """
    own, seed = training.run.contestant, training.run.seed
    training.model.eval()
    if training.run.chooses:
        return [(own, "loss", 1, of_texts(training, "choosing", 1)["loss"])]
    learned = of_texts(training, "learning", 1)
    numbers = [(own, f"{measure} to judge learning", 1, learned[measure]) for measure in ("loss", "accuracy")]
    if training.run.task == "text":
        numbers += [("pairs of bytes", "loss to judge learning", 1, pairs_loss("learning", seed))]
        numbers += [("pairs of bytes", "loss", 1, pairs_loss("report", seed))]
    numbers += [number for times in TIMES for number in at_length(training, times, whole)]
    if training.run.task == "copy" and whole and isfinite(learned["loss"]):
        positions = training.positions(torch.zeros(1, 2 * STRING + 1), training.drawing("report", 0))
        numbers += [(own, measure, 1, value) for measure, value in copying(training.model, seed, positions)]
    return numbers + [(own, name, 1, value) for name, value in constants(training.model)]


def constants(model: Model) -> Iterator[tuple[str, float]]:
    """What training has made of FIRE's two constants."""
    for number, slots in enumerate(model.slots, start=1):
        if isinstance(slots.bias, Fire):
            yield f"threshold in layer {number}", slots.bias.threshold.item()
            yield f"c in layer {number}", slots.bias.c.item()


def at_length(training: Training, times: int, whole: bool) -> Iterator[Number]:
    own, model = training.run.contestant, training.model
    slots = model.slots
    for measure, value in of_texts(training, "report", times).items():
        yield own, measure, times, value
    for name, change in readings(own, times).items():
        if (name.endswith(PLAIN) and training.run.task != "needle") or not (whole or name in SCALED):
            continue
        model.use(change(slots, training.task.trained, times))
        for measure, value in of_texts(training, "report", times).items():
            yield name, measure, times, value
    model.use(slots)


@torch.no_grad()
def of_texts(training: Training, use: str, times: int) -> dict[str, float]:
    task = training.task
    tokens, counts = task.texts(use, training.run.seed, times)
    generator = training.drawing(use, times)
    parts = tokens.split(max(1, 128 // times**2))  # where positions are drawn, each part has its own
    try:
        found = [training.model(part[:, :-1], training.positions(part, generator)) for part in parts]
    except ValueError as error:
        if not overflows(error):
            raise
        return dict(NOT_FINITE)
    return numbers_of(torch.cat(found), tokens, counts, training.run.task, times)


def numbers_of(scores: Tensor, tokens: Tensor, counts: Tensor, task: str, times: int) -> dict[str, float]:
    if not scores.isfinite().all():
        return dict(NOT_FINITE)
    right = (scores.argmax(dim=-1) == tokens[:, 1:])[counts]
    loss = cross_entropy(scores.transpose(1, 2), tokens[:, 1:], reduction="none")
    numbers = {"loss": loss[counts].mean().item(), "accuracy": right.float().mean().item()}
    if task == "needle" and times > 1:
        quarter = quarters(tokens).flatten()
        numbers |= {f"accuracy in quarter {i + 1}": right[quarter == i].float().mean().item() for i in range(4)}
    if task == "text" and times == FAR:
        parts = loss.mean(dim=0).chunk(PARTS)
        numbers |= {f"loss in {i + 1}/{PARTS}": part.mean().item() for i, part in enumerate(parts)}
    return numbers
