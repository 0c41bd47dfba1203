"""Verify before you race: the whole model of each contestant, layer by layer, against formulas written by hand.

The model runs as in training, in float64, on tokens that stand at places near and far; in each layer the queries, keys
and values are taken as they come, and what leaves the attention is computed once more. So a contestant that is wrong in
one layer is found, whatever the others do, and so is one whose model does not use its slots, or its positions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from experiments.comparison.by_hand import Formula, dot, plain
from experiments.comparison.by_hand_content import broken_stick, softmax
from experiments.comparison.contestants import CONTESTANTS, HEADS, Contestant, Model
from experiments.comparison.formulas import changed, formulas, learned_numbers
from experiments.comparison.readings import SCALED, readings
from experiments.comparison.tasks import TIMES
from experiments.comparison.verify_positions import embeddings, wrong_positions
from posenc_lib import Slots

PLACES = {
    64: (0, 1, 2, 15, 17, 33, 64, 65, 128, 130, 199, 511),
    32: (0, 1, 7, 8, 9, 31, 32, 64, 255),
    25: (0, 1, 6, 7, 30, 31, 190, 199),
    8: tuple(range(40)),
}
"""For each trained length: distances on both sides of every reach, window and threshold, and the last place there is.

No task has 8. There what reads the tokens between has more of them than its tables, or a text of training, hold.
"""

READS_BETWEEN = ("fox", "stick-breaking", "cope", "cope 16", "path")

TOKENS, TOLERANCE = 30, 1e-6


def faults(names: list[str] | None = None) -> dict[str, str]:
    """Each contestant that is not what it says, and how. Such a one is not trained."""
    found = {name: fault(name) for name in names or CONTESTANTS}
    return {name: why for name, why in found.items() if why}


def fault(name: str) -> str:
    contestant = CONTESTANTS[name]
    for trained in PLACES if name in READS_BETWEEN else [its for its in PLACES if its != 8]:
        if why := wrong_positions(name, contestant, trained):
            return why
        model = model_of(contestant, trained)
        more = size(model) - size(model_of(CONTESTANTS["none"], trained))
        if more != learned_numbers(name, trained):
            return f"learns {more} numbers more than none, not {learned_numbers(name, trained)}"
        try:
            if why := difference(model, name, formulas(name, trained), model.slots, trained):
                return why
        except KeyError:
            return "has no formula"
        if why := wrong_reading(model, name, trained):
            return why
    return ""


def wrong_reading(model: Model, name: str, trained: int) -> str:
    slots = model.slots
    for times in TIMES:
        for reading, change in readings(name, times).items():
            model.use(change(slots, trained, times))
            if why := difference(model, name, changed(reading, name, trained, times), slots, trained):
                return f"read as {reading!r} at {times} × it {why}"
    return ""


def model_of(contestant: Contestant, trained: int) -> Model:
    """With something in every table that starts at zero."""
    torch.manual_seed(0)
    model = Model(TOKENS, contestant, trained)
    for slots in model.slots:
        for numbers in slots.parameters():
            if not numbers.any():
                torch.nn.init.normal_(numbers)
    return model.double()


def size(model: Model) -> int:
    return sum(numbers.numel() for numbers in model.parameters())


def difference(model: Model, name: str, layers: list[Formula], learned: list[Slots], trained: int) -> str:
    """What differs by more than rounding; `learned` are the slots whose numbers the formulas read."""
    places = PLACES[trained]
    tokens = torch.randint(TOKENS, (1, len(places)), generator=torch.Generator().manual_seed(0))
    seen: list[list[Tensor]] = [[] for _ in layers]
    hooks = []
    for layer, its in zip(model.layers.layers, seen, strict=True):
        attention = layer.self_attention
        for part in (attention.to_q, attention.to_k, attention.to_v):
            hooks.append(part.register_forward_hook(lambda module, given, out, its=its: its.append(out[0])))
        hooks.append(attention.to_out.register_forward_pre_hook(lambda module, given, its=its: its.append(given[0][0])))
    hooks.append(model.embed.register_forward_hook(lambda module, given, out: seen.append([out[0]])))
    with torch.no_grad():
        model(tokens, torch.tensor(places))
        (embedded,) = seen.pop()
        for hook in hooks:
            hook.remove()
        if off(embedded, embeddings(model, name, tokens[0], places)):
            return "adds other vectors to the embeddings"
        for number, (its, formula, slots) in enumerate(zip(seen, layers, learned, strict=True), start=1):
            if error := off(its[3], by_hand(formula, slots, name, its, places)):
                return f"differs from its formula in layer {number} by {error:.2g}"
    return ""


def off(one: Tensor, other: Tensor) -> float:
    """The largest difference, or 0 where it is rounding."""
    error = (one - other).abs().max().item()
    return 0.0 if error < TOLERANCE else error


def by_hand(formula: Formula, slots: Slots, name: str, its: list[Tensor], places: tuple[int, ...]) -> Tensor:
    q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(0, 1).tolist() for part in its[:3])
    shares = broken_stick if name == "stick-breaking" else softmax
    vectors = None if slots.value_bias is None or formula is plain else slots.value_bias.table.tolist()
    out = []
    for head in range(HEADS):
        score = formula(slots, head)
        for m, place in enumerate(places):
            weights = shares([score(q[head], k[head], places, m, n) for n in range(m + 1)])
            values = v[head][: m + 1]
            if vectors:
                reach = len(vectors) - 1
                rows = [vectors[reach - min(place - places[n], reach)] for n in range(m + 1)]
                values = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(values, rows, strict=True)]
            out.append([dot(weights, column) for column in zip(*values, strict=True)])
    return torch.tensor(out, dtype=torch.float64).unflatten(0, (HEADS, -1)).transpose(0, 1).flatten(1)


if __name__ == "__main__":
    print(faults() or f"all {len(CONTESTANTS)} contestants, and all {len(SCALED)} other frequencies, are what they say")
