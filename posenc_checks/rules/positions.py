"""Does each row get the angle of its own position: in a shorter text, given out of order, per sample, alone?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import torch
from torch import Tensor

from posenc_checks.calling.rotation import with_positions
from posenc_checks.reading.case import ROWS, SHUFFLED, Case
from posenc_checks.reading.near_and_far import SAME, same, unit
from posenc_checks.reading.probe import read_matrices
from posenc_checks.report.found import Fact, Fault, Finding, github
from posenc_checks.rules.driver import rule

# fmt: off
LENGTH_DEPENDENT = Fault(
    "length-dependent", "the angle of a token depends on how many tokens there are, so cached keys do not fit",
    "arange(-n, 0), and positions over the length", claim="rotary.relative-position"
)
POSITIONS_UNUSED = Fault(
    "positions-unused", "the positions that are given are ignored, and rows are counted",
    "arange in place of the argument; matters with left padding and packed texts", claim="rotary.relative-position",
    thread=github("unslothai/unsloth/issues/3699")
)
POSITIONS_FIRST_ONLY = Fault(
    "positions-first-only", "only the first position is used: for all rows, or rows are counted from there",
    "positions[0] + arange(n), and a table that is cut to one row", claim="rotary.relative-position"
)
ROWS_SHIFTED = Fault(
    "rows-shifted", "each row gets the angle of the row beside it", "roll and shifted slices of the table",
    claim="rotary.relative-position"
)
POSITIONS_OF_FIRST_SAMPLE = Fault(
    "positions-of-first-sample", "all samples get the positions of the first one",
    "positions[0], and the axes of the table of angles", claim="rotary.relative-position",
    thread=github("unslothai/unsloth/issues/3699")
)
POSITIONS_CROSSED = Fault(
    "positions-crossed", "queries get the positions of the keys, or keys those of the queries",
    "which positions each of the two gets", claim="rotary.relative-position"
)
SINGLE_TOKEN = Fault(
    "single-token", "a token alone, as in decoding with a cache, is rotated differently than among others",
    "reshape, squeeze and broadcasting where n = 1", thread=github("oxiglade/mlx-rs/pull/357")
)
ANGLES_WRONG = Fault(
    "angles-wrong", "angles do not grow in proportion to the position", "positions × frequencies",
    claim="rotary.plane-solution"
)
# fmt: on

SHOWN = f"positions {SHUFFLED.tolist()}"


@rule(needs=["forgets"])
def ignores_length(case: Case) -> Iterator[Finding]:
    """Where rows are counted, those of a shorter text are the same."""
    if case.still or case.rotation.takes_positions:
        return
    short = read_matrices(case.rotation, torch.arange(6))[0]
    if not same(unit(short), unit(case.rows[:6])):
        fits = [p for p in range(ROWS) if same(unit(short[0]), unit(case.rows[p]))]
        words = f"token 0 of 6 is rotated as token {fits[0]} of {ROWS}" if fits else "the angles of token 0 differ"
        yield Finding(LENGTH_DEPENDENT, words, f"6 tokens, and {ROWS}")


@rule(needs=["forgets"])
def uses_positions(case: Case) -> Iterator[Finding]:
    for order, whose in zip(case.orders, case.whose, strict=False):
        if order == "counted":
            words = f"row 1{whose} is at position 0, and is rotated as position 1"
            yield Finding(POSITIONS_UNUSED, words, SHOWN)
            return
        if order == "first":
            words = f"rows{whose} get the angles of positions {SHUFFLED[0]}, {SHUFFLED[0] + 1}, …"
            yield Finding(POSITIONS_FIRST_ONLY, words, SHOWN)
            return


@rule(needs=["forgets"])
def keeps_positions_apart(case: Case) -> Iterator[Fact | Finding]:
    for order, whose in zip(case.orders, case.whose, strict=False):
        if order == "one":
            yield Finding(POSITIONS_FIRST_ONLY, f"all rows{whose} get the angles of position {SHUFFLED[0]}", SHOWN)
            return
        if order == "neighbour":
            yield Finding(ROWS_SHIFTED, f"row 1{whose} gets the angles of row 0, or of row 2", SHOWN)
            return
    if "mixed" in case.orders:
        i = case.orders.index("mixed")
        off = (case.all_shuffled[i] - case.all_rows[i][SHUFFLED]).abs().max()
        words = f"the angles of a position{case.whose[i]} depend on the others: features are off by {off:.2g}"
        yield Finding(ANGLES_WRONG, words, SHOWN)
    elif "scaled" in case.orders:
        yield Fact("amplitude", "depends on the other positions of the call")


@rule(needs=["uses_positions", "keeps_positions_apart"])
def tells_keys_positions_apart(case: Case) -> Iterator[Finding]:
    """Keys at other positions than queries, as with a cache."""
    if not case.free or not case.rotation.takes("k_positions"):
        return
    with suppress(Exception):  # a function that takes equal positions only
        rotation = replace(case.rotation, k_positions=SHUFFLED)
        got = read_matrices(rotation, torch.arange(len(SHUFFLED)))
        right = [case.all_rows[0][: len(SHUFFLED)], case.all_rows[-1][SHUFFLED]]
        for name, a, b in zip(("queries", "keys"), got, right, strict=False):
            if not same(a, b):
                words = f"features of the {name} are off by {(a - b).abs().max():.2g}"
                yield Finding(POSITIONS_CROSSED, words, f"queries at 0, 1, …, and keys at {SHUFFLED.tolist()}")
                return


@rule(needs=["uses_positions", "keeps_positions_apart"])
def tells_samples_apart(case: Case) -> Iterator[Fact | Finding]:
    """Two samples with positions of their own."""
    if not case.free:
        return
    x = torch.randn(2, 3, 4, case.rotation.d, generator=torch.Generator().manual_seed(1))
    own = torch.tensor([[0, 1, 2, 3], [8, 6, 7, 2]])
    single = [_heads(case.rotation(x[i : i + 1], own[i])) for i in range(2)]
    first = _heads(case.rotation(x[1:], own[0]))
    ignored = False
    for shape in ("bn", "b1n", "n"):
        with suppress(Exception):  # a shape that the function does not take
            out = _heads(with_positions(case.rotation, shape)(x, own))
            if same(out, torch.cat(single)):
                yield Fact("positions", "each sample may have its own")
                return
            ignored |= any(map(same, out[1:].chunk(2, 1), first.chunk(2, 1)))
    if ignored:
        off = (first - single[1]).abs().max()
        yield Finding(POSITIONS_OF_FIRST_SAMPLE, f"features are off by {off:.2g}", f"positions {own.tolist()}")
    else:
        yield Fact("positions", "one row for all samples")


@rule(needs=["uses_positions", "keeps_positions_apart"])
def takes_one_token(case: Case) -> Iterator[Finding]:
    """One token, as in decoding, and the same token among others."""
    if not case.free:
        return
    x = torch.randn(2, 3, 6, case.rotation.d, generator=torch.Generator().manual_seed(2))
    among = _heads(case.rotation(x, torch.arange(6)))[:, :, 5:]
    off = (_heads(case.rotation(x[:, :, 5:], torch.tensor([5]))) - among).abs().amax((0, 2, 3))
    if off.max() > SAME:
        words = f"features of head {int(off.argmax()) % 3} are off by {off.max():.2g}"
        yield Finding(SINGLE_TOKEN, words, "1 token, position 5")


def _heads(outs: list[Tensor]) -> Tensor:
    """Queries and keys side by side, as heads; queries twice where nothing else comes out."""
    return torch.cat((outs[0], outs[min(1, len(outs) - 1)]), 1)
