"""The record that the page practice/measuring reads: python -m experiments.measured corpus, text, and probes.

`corpus` measures the files of Python's standard library. `text` trains the models of the comparison that predict bytes,
and measures them by context and by stride. `probes` trains on the five tasks of experiments/probes.py, up to 64 words,
and asks at up to four times that.
"""

from __future__ import annotations

import argparse
import csv
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from bookkit.measuring import COLUMNS, RECORD, contexts, perplexity
from experiments.__main__ import chosen_rates
from experiments.contestants import TRAINED, Contestant, Model, readings
from experiments.harness import Run, Training, warm_up_and_decay
from experiments.probes import KINDS, VOCABULARY, probe
from experiments.tasks import LENGTH, source

METHODS = ("rotary", "alibi")
LONGEST = 128
FAR, COPIED = (0, 64, 256, 1024, 4096, 16384, 65536), 16
STRIDES = {64: (64, 32, 16, 1), 128: (128, 64, 16, 1)}  # by window
LENGTHS = (64, 128, 256)
STEPS, BATCH, RATE, TESTED, SHORTEST = 700, 32, 2e-3, 100, 40

Row = tuple[str, str, int, str, int, float]  # COLUMNS


def as_function(model: Model, slots: list | None = None):
    own = [layer.self_attention.slots for layer in model.layers.layers]
    model.eval().use(own if slots is None else slots)
    return lambda ids: model(ids, torch.arange(ids.shape[1]))


def every_context(model, tokens: torch.Tensor, longest: int) -> torch.Tensor:
    """Row c - 1: the losses of the tokens from `longest` on, each from the c before it. One pass for all contexts."""
    begins = tokens.unfold(0, longest + 1, 1)
    found = torch.cat([each_loss(model, part) for part in begins.split(64)])  # [window, c - 1]
    n = len(tokens) - 2 * longest
    return torch.stack([found[longest - c : longest - c + n, c - 1] for c in range(1, longest + 1)])


@torch.no_grad()
def each_loss(model, ids: torch.Tensor) -> torch.Tensor:
    return cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none")


def of_text(seed: int, weights: Path) -> Iterator[Row]:
    """On 2,048 bytes of the test; what a stride makes of them is put together from their losses by context."""
    for method in METHODS:
        (rate,) = chosen_rates("text", method)
        training, kept = Training(Run("text", method, seed, rate)), weights / f"text-{method}-{seed}.pt"
        if kept.exists():
            training.load(kept)
        while training.done < training.run.steps:
            training.step()
        training.save(kept)
        tokens = source(False)[100_000 : 100_000 + 2 * LONGEST + 2048].long()
        for reading, slots in readings(method, 4, LENGTH).items():
            if reading in (*METHODS, "yarn"):
                found = every_context(as_function(training.model, slots), tokens, LONGEST)
                for c, row in enumerate(found, start=1):
                    yield "text", reading, seed, "loss by context", c, row.mean().item()
                for window, strides in STRIDES.items():
                    for stride in strides:
                        its = contexts(window + 2048, window, stride)[window:]
                        scored = its > 0
                        picked = found[its[scored] - 1, torch.arange(2048)[scored]]
                        yield "text", reading, seed, f"perplexity, window {window}", stride, perplexity(picked)
                as_function(training.model, contestant_slots(method))


def contestant_slots(method: str) -> list:
    return TRAINED[method].slots()


def batch(words: list[list[str]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids, filled up at the end, and the place of the last word of each row."""
    number = {word: i for i, word in enumerate(VOCABULARY)}
    ends = torch.tensor([len(row) - 1 for row in words])
    ids = torch.zeros(len(words), int(ends.max()) + 1, dtype=torch.long)
    for i, row in enumerate(words):
        ids[i, : len(row)] = torch.tensor([number[word] for word in row])
    return ids, ends


def taught(contestant: Contestant, seed: int, steps: int = STEPS, report=lambda step, loss: None) -> Model:
    torch.manual_seed(seed)
    model = Model(len(VOCABULARY), contestant, LENGTH)
    optimiser = torch.optim.Adam(model.parameters(), fused=True)
    draw = random.Random(seed)
    for step in range(steps):
        asked = [probe(draw.choice([*KINDS]), draw.randint(SHORTEST, LENGTH), draw) for _ in range(BATCH)]
        ids, ends = batch([list(one.words) for one in asked])
        answers = torch.tensor([VOCABULARY.index(one.answer) for one in asked])
        for group in optimiser.param_groups:
            group["lr"] = RATE * warm_up_and_decay(step / steps)
        optimiser.zero_grad()
        scores = model(ids, torch.arange(ids.shape[1]))[torch.arange(BATCH), ends]
        loss = cross_entropy(scores, answers)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        report(step, loss.item())
    return model.eval()


@torch.no_grad()
def share_right(model, kind: str, length: int, count: int = TESTED) -> float:
    """In percent; the same probes for every model."""
    draw = random.Random(f"{kind}, {length}")
    asked = [probe(kind, length, draw) for _ in range(count)]
    ids, _ = batch([list(one.words) for one in asked])
    scores = torch.cat([model(part)[:, -1] for part in ids.split(max(1, 8192 // length))])
    found = 0
    for one, row in zip(asked, scores, strict=True):
        found += max(one.choices, key=lambda word, row=row: row[VOCABULARY.index(word)].item()) == one.answer
    return 100 * found / count


def of_probes(seed: int, weights: Path, methods: tuple[str, ...] = METHODS) -> Iterator[Row]:
    for method in methods:
        kept = weights / f"probes-{method}-{seed}.pt"
        if kept.exists():
            model = Model(len(VOCABULARY), TRAINED[method], LENGTH)
            model.load_state_dict(torch.load(kept))
        else:
            say = lambda step, loss: step % 100 or print(step, f"{loss:.3f}", flush=True)  # noqa: E731
            model = taught(TRAINED[method], seed, report=say)
            torch.save(model.state_dict(), kept)
        for length in LENGTHS:
            for reading, slots in readings(method, length // LENGTH, LENGTH).items():
                if reading in (*METHODS, "none", "yarn"):
                    function = as_function(model, slots)
                    for kind in KINDS:
                        yield "probes", reading, seed, kind, length, share_right(function, kind, length)
                    as_function(model, TRAINED[method].slots() if slots is not None else None)


def files() -> list[bytes]:
    """The standard library's modules that the comparison tests on, one by one."""
    folder = Path(sysconfig.get_path("stdlib"))
    found = sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")])
    found = [file for file in found if not {"test", "site-packages", "idlelib"} & set(file.relative_to(folder).parts)]
    return [file.read_bytes() for i, file in enumerate(found) if i % 8 == 0]


def of_corpus(texts: list[bytes] | None = None) -> Iterator[Row]:
    """Which part of the bytes has so many before it in its own file; and which part could be copied from how far back.

    A byte can be copied if the 16 before it stand earlier in the file, with the same byte after them. Its distance is
    that to the nearest such place.
    """
    texts = texts or files()
    total, distances = sum(map(len, texts)), []
    for text in texts:
        last: dict[bytes, int] = {}
        for place in range(COPIED, len(text)):
            key = text[place - COPIED : place + 1]
            if key in last:
                distances.append(place - last[key])
            last[key] = place
    for far in FAR:
        share = sum(max(0, len(text) - far) for text in texts) / total
        yield "corpus", "files", 0, "has so much before it", far, 100 * share
        yield "corpus", "files", 0, "copy nearest further back", far, 100 * sum(d > far for d in distances) / total


def write(rows: list[Row]) -> None:
    """What the record had of other models stays."""
    key = lambda row: tuple(row)[:5]  # noqa: E731
    old = [tuple(row.values()) for row in csv.DictReader(RECORD.open())] if RECORD.exists() else []
    every = {tuple(map(str, key(row))): row for row in [*old, *rows]}
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for row in sorted(every.values(), key=lambda r: (*map(str, r[:4]), int(r[4]))):
            table.writerow([*row[:5], f"{float(row[5]):.5g}"])


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.measured", description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("corpus", "text", "probes"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--weights", type=Path, default=Path("_build/experiments"))
    asked = parser.parse_args(given)
    torch.set_num_threads(1)
    asked.weights.mkdir(parents=True, exist_ok=True)
    if asked.what == "corpus":
        write(list(of_corpus()))
        return 0
    for seed in asked.seeds:
        if asked.what == "text":
            write(list(of_text(seed, asked.weights)))
        else:
            write(list(of_probes(seed, asked.weights, tuple(asked.methods))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
