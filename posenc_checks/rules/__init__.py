"""The rules, in the order in which they are asked, and the catalogue of the faults that they name.

To teach the checker a fault, put a `Fault` beside the rule that can see it, and yield it there with the number that
shows it. If no rule can, write one: a generator under `@rule(needs=[…])`, which names the rules that must have passed.
Then plant the fault: a row of `tests/corpus/checks/planted.tsv`. The tests want its name and no other. Nothing else
has to know of it.
"""

from __future__ import annotations

from posenc_checks.rules import (
    axes,
    bias,
    blocks,
    bucket,
    claims,
    frequencies,
    indexer,
    keys,
    layout,
    memory,
    offsets,
    port,
    positions,
    ramps,
    rounding,
    safety,
    scaling,
    slopes,
    stale,
    start,
    structure,
    table,
    window,
)
from posenc_checks.rules.driver import faults_of, rules_of

_ROTARY = (
    safety,
    axes,
    memory,
    positions,
    offsets,
    structure,
    layout,
    keys,
    rounding,
    frequencies,
    start,
    claims,
    stale,
)

ROTARY = rules_of(*_ROTARY)
BIAS = rules_of(bias, slopes)
BUCKET = rules_of(bucket)
WINDOW = rules_of(window)
INDEXER = rules_of(indexer)
TABLE = rules_of(table)
PORT = rules_of(port)

FAULTS = faults_of(*_ROTARY, blocks, scaling, ramps, bias, slopes, bucket, window, indexer, table, port)
