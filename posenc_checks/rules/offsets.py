"""Does the offset of a cache move the positions on, once, also below 0?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import torch

from posenc_checks.calling.names import TABLES, never_read
from posenc_checks.reading.case import ROWS, Case
from posenc_checks.reading.near_and_far import same
from posenc_checks.reading.probe import read_matrices
from posenc_checks.report.found import Fact, Fault, Finding, github
from posenc_checks.rules.bias import QUERIES_FROM_0
from posenc_checks.rules.driver import rule

# fmt: off
OFFSET_IGNORED = Fault(
    "offset-ignored", "the offset of the cache is ignored",
    "the slice of the table, and the key under which it is kept",
    thread=github("lucidrains/rotary-embedding-torch/issues/11")
)
OFFSET_TWICE = Fault(
    "offset-twice", "the offset of the cache is added twice", "whether the positions hold it already",
    thread=github("skyzh/tiny-llm/pull/46")
)
OFFSET_WRONG = Fault("offset-wrong", "the offset of the cache changes the angles wrongly", "where the offset is added")
NEGATIVE_POSITIONS = Fault(
    "negative-positions", "negative positions get angles of other positions",
    "an index into a table wraps to its end, and clamp puts all of them at 0; matters with left padding",
    claim="rotary.composition", level="trap"
)
ARGUMENT_UNREAD = Fault(
    "argument-unread", "an argument that may be an offset is never read", "the name in the signature, and in the code",
    thread=github("lucidrains/rotary-embedding-torch/issues/11"), level="trap"
)
# fmt: on


OFFSET, N = 7, 4
PLACES = ("positions", "q_positions", "k_positions", *TABLES)
SHOWN = f"{N} tokens, offset {OFFSET}"


@rule(needs=["ignores_length"])
def adds_the_offset(case: Case) -> Iterator[Finding]:
    if case.still or not case.rotation.takes("offset"):
        return
    rotation = case.rotation.by_offset
    read_matrices(rotation, torch.arange(N))  # what a call without an offset leaves behind must not matter
    both = zip(read_matrices(rotation, torch.arange(N), OFFSET), case.all_rows, strict=False)
    got, rows = next(((got, rows) for got, rows in both if not same(got, rows[OFFSET : OFFSET + N])), (None, None))
    if got is None:
        return
    if same(got, rows[:N]):
        yield Finding(OFFSET_IGNORED, f"token 0 is rotated as position 0, not as {OFFSET}", SHOWN)
    elif same(got, rows[2 * OFFSET : 2 * OFFSET + N]):
        yield Finding(OFFSET_TWICE, f"token 0 is rotated as position {2 * OFFSET}, not as {OFFSET}", SHOWN)
    else:
        fits = [p for p in range(ROWS) if same(got[0], rows[p])]
        words = f"as position {fits[0]}" if fits else "as no position is"
        yield Finding(OFFSET_WRONG, f"token 0 is rotated {words}, not as {OFFSET}", SHOWN)


@rule(needs=["ignores_length"])
def reads_its_arguments(case: Case) -> Iterator[Finding]:
    """Where no positions are given, what is 0 if left out may be the first of them, whatever its name."""
    if case.rotation.takes_positions:
        return
    for name in never_read(case.rotation.function):
        yield Finding(ARGUMENT_UNREAD, f"{name}=0 is an argument, and the code has no {name}", f"{name} = {OFFSET}")
        return


@rule(needs=["ignores_length"])
def counts_queries_from_the_end(case: Case) -> Iterator[Finding]:
    """As where a cache holds the other keys."""
    rotation = case.rotation.by_offset
    if not {"q", "k"} <= {*rotation.features} or rotation.takes("offset", *PLACES) or case.still:
        return
    with suppress(Exception):  # a function that takes equal numbers only
        got = read_matrices(replace(rotation, few=N), torch.arange(ROWS))[0]
        if same(got, case.rows[:N]) and not same(got, case.rows[-N:]):
            yield Finding(QUERIES_FROM_0, f"{N} queries get positions 0 to {N - 1}", f"{N} queries, {ROWS} keys")


@rule(needs=["adds_the_offset"])
def takes_negative_offsets(case: Case) -> Iterator[Fact | Finding]:
    """An offset of -2, as for two tokens of padding on the left: the third token is at position 0."""
    if case.still or not case.rotation.takes("offset"):
        return
    try:
        got = read_matrices(case.rotation.by_offset, torch.arange(4), -2)[0]
    except Exception:
        yield Fact("negative offsets", "refused")
        return
    rows, start = case.rows, torch.linalg.pinv(case.rows[0])
    back = torch.linalg.pinv(start @ rows[1])
    if not same(got[2:], rows[:2]) or (start @ got[1] - back).abs().max() > 0.02:
        off = (got[2:] - rows[:2]).abs().max()
        yield Finding(NEGATIVE_POSITIONS, f"the matrix of token 2 is off by {off:.2g}", "4 tokens, offset -2")
