"""Texts for different uses, and for different seeds, have nothing in common; each cell has enough of them."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from experiments.comparison import streams, tasks
from experiments.comparison.streams import CHOOSING_SEED, seed_of
from experiments.comparison.tasks import AT_ONCE, FAR, FEWEST, JUDGED, NEEDLES, TASKS, TIMES, quarters, source
from experiments.comparison.training import POSITIONS
from experiments.tasks import QUESTION, VALUES


def test_seeds_of_different_parts_cannot_meet():
    parts = [range(len(streams.USES)), range(len(streams.TASKS)), range(0, streams.SEEDS, 5), range(0, 2**16, 4095)]
    numbers = [seed_of(streams.USES[use], streams.TASKS[task], seed, i) for use, task, seed, i in product(*parts)]
    assert len(set(numbers)) == len(numbers)
    last = seed_of(streams.USES[-1], streams.TASKS[-1], streams.SEEDS - 1, streams.INDICES - 1)
    assert last < 2**32
    assert POSITIONS + max(task.steps for task in TASKS.values()) < streams.INDICES
    with pytest.raises(ValueError, match="65536 indices"):
        seed_of("report", "text", 0, 2**16)


def test_why_seeds_must_fit_in_32_bits():
    one, other = (torch.rand(5, generator=torch.Generator().manual_seed(seed)) for seed in (2**40, 0))
    assert torch.equal(one, other)


@pytest.mark.parametrize(("name", "times"), [*product(TASKS, TIMES)])
def test_each_cell_has_2048_judged_tokens_from_128_texts(name, times):
    task = TASKS[name]
    tokens, counts = task.texts("report", 3, times)
    assert counts.sum() >= JUDGED
    assert len(tokens) >= FEWEST
    assert 0 <= tokens.min() <= tokens.max() < task.n_tokens
    assert name == "words" or tokens.shape[1] - 1 == times * task.trained
    batch, _ = task.batch_of(0, 1)
    assert batch.shape[1] - 1 <= task.trained


def test_no_file_of_text_has_two_uses():
    parts = [bytes(source(use).numpy()) for use in ("training", "choosing", "learning", "report")]
    for i, part in enumerate(parts):
        for other in parts[i + 1 :]:
            assert other[20_000:20_200] not in part
            assert part[20_000:20_200] not in other


@pytest.mark.parametrize(
    ("use", "seeds"), [("report", (0, 4, 9)), ("learning", (0, 4, 9)), ("choosing", (CHOOSING_SEED,))]
)
def test_few_windows_stand_in_the_texts_of_training(use, seeds):
    """Near copies of a file, such as those of `encodings`, had 8 % of the report in training, byte by byte."""
    training = bytes(source("training").numpy())
    windows = torch.cat([TASKS["text"].texts(use, seed, 1)[0] for seed in seeds]).to(torch.uint8)
    assert sum(bytes(row.tolist()) in training for row in windows) < 0.04 * len(windows)


def test_two_files_that_say_the_same_are_one(monkeypatch, tmp_path):
    for name in "abcdefghij":
        (tmp_path / f"{name}.py").write_text("the same" if name < "c" else name)
    monkeypatch.setattr(tasks.sysconfig, "get_path", lambda name: str(tmp_path))
    parts = {use: bytes(source.__wrapped__(use).numpy()) for use in ("report", "choosing", "learning", "training")}
    assert parts == {"report": b"the samej", "choosing": b"c", "learning": b"d", "training": b"efghi"}


def test_no_byte_of_text_is_judged_for_two_seeds():
    ends, count = [], FEWEST
    places = torch.arange(FAR * tasks.LENGTH, len(source("report")), AT_ONCE)
    order = torch.randperm(len(places), generator=streams.stream("report", "text", 0))
    for seed in range(10):
        mine = places[order[seed * count : (seed + 1) * count]]
        tokens, _ = TASKS["text"].texts("report", seed, 1)
        assert torch.equal(tokens[:, -1], source("report")[mine].long())
        ends += mine.tolist()
    gaps = torch.tensor(sorted(ends)).diff()
    assert len(ends) == 1280
    assert gaps.min() >= AT_ONCE
    short, long = (TASKS["text"].texts("report", 2, times)[0] for times in (1, 8))
    assert torch.equal(short, long[:, -65:])


@pytest.mark.parametrize("name", ["copy", "words", "needle"])
def test_seeds_and_uses_have_other_texts(name):
    uses = [("choosing", CHOOSING_SEED), ("learning", 0), ("report", 0), ("report", 1)]
    drawn = [set(map(tuple, TASKS[name].texts(use, seed, 1)[0].tolist())) for use, seed in uses]
    for i, one in enumerate(drawn):
        for other in drawn[i + 1 :]:
            assert len(one & other) <= 1  # two number words may be the same by chance: one in a hundred million


def test_a_needle_text_asks_for_each_key_once():
    tokens, counts = TASKS["needle"].texts("report", 0, 2)
    asked = counts[0].nonzero().flatten().tolist()
    assert asked == list(range(128 - 15, 128, 2))
    for row, places in zip(tokens[:20].tolist(), quarters(tokens)[:20].tolist(), strict=True):
        body = row[: 129 - 2 * NEEDLES]
        pairs = {t // VALUES: (t % VALUES, i) for i, t in enumerate(body) if t < QUESTION}
        assert len(pairs) == NEEDLES
        for at, quarter in zip(asked, places, strict=True):
            value, place = pairs[row[at] - QUESTION]
            assert row[at + 1] == QUESTION + NEEDLES + value
            assert quarter == place * 4 // len(body)
