"""Does each row get the angle of its own position: in a shorter text, given out of order, per sample, alone?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import torch

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
    "positions-first-only", "only the first position is used, and rows are counted from there",
    "positions[0] + arange(n)", claim="rotary.relative-position"
)
POSITIONS_OF_FIRST_SAMPLE = Fault(
    "positions-of-first-sample", "all samples get the positions of the first one",
    "positions[0], and the axes of the table of angles", claim="rotary.relative-position",
    thread=github("unslothai/unsloth/issues/3699")
)
SINGLE_TOKEN = Fault(
    "single-token", "a token alone is rotated otherwise than among others, as in decoding with a cache",
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
    if case.order == "counted":
        yield Finding(POSITIONS_UNUSED, "row 1 is at position 0, and is rotated as position 1", SHOWN)
    elif case.order == "first":
        words = f"rows get the angles of {SHUFFLED[0]}, {SHUFFLED[0] + 1}, …"
        yield Finding(POSITIONS_FIRST_ONLY, words, SHOWN)


@rule(needs=["forgets"])
def keeps_positions_apart(case: Case) -> Iterator[Fact | Finding]:
    if case.order == "scaled":
        yield Fact("amplitude", "depends on the other positions of the call")
    elif case.order == "mixed":
        off = (case.shuffled - case.rows[SHUFFLED]).abs().max()
        words = f"the angles of a position depend on the others: features are off by {off:.2g}"
        yield Finding(ANGLES_WRONG, words, SHOWN)


@rule(needs=["uses_positions", "keeps_positions_apart"])
def tells_samples_apart(case: Case) -> Iterator[Fact | Finding]:
    """Two samples with positions of their own."""
    if not case.free:
        return
    x = torch.randn(2, 3, 4, case.rotation.d, generator=torch.Generator().manual_seed(1))
    own = torch.tensor([[0, 1, 2, 3], [8, 6, 7, 2]])
    single = [case.rotation(x[i : i + 1], own[i])[0] for i in range(2)]
    first = case.rotation(x[1:], own[0])[0]
    ignored = False
    for shape in ("bn", "b1n", "n"):
        with suppress(Exception):  # a shape that the function does not take
            out = with_positions(case.rotation, shape)(x, own)[0]
            if same(out, torch.cat(single)):
                yield Fact("positions", "each sample may have its own")
                return
            ignored |= same(out[1:], first)
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
    among = case.rotation(x, torch.arange(6))[0][:, :, 5:]
    off = (case.rotation(x[:, :, 5:], torch.tensor([5]))[0] - among).abs().amax((0, 2, 3))
    if off.max() > SAME:
        words = f"features of head {int(off.argmax())} are off by {off.max():.2g}"
        yield Finding(SINGLE_TOKEN, words, "1 token, position 5")
