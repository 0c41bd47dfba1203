"""Indexers: does a longer text than the budget get the keys of the layout that it should have?"""

from __future__ import annotations

from collections.abc import Iterator

from posenc_checks.reading.indexers import LENGTHS, Indexer
from posenc_checks.report.found import Fault, Finding, Property, Unreadable, github
from posenc_checks.rules.driver import rule

INDEXER_LAYOUT = Fault(
    "indexer-layout",
    "the indexer pairs or rotates other features, so other keys are read once a text is longer than the budget",
    "its own layout and rotated features: they often differ from those of the attention beside it",
    page="content/sparse",
    claim="sparse.budget",
    thread=github("sgl-project/sglang/pull/13439"),
)
SAME = 0.98  # in float32, keys of nearly equal scores may change places


@rule()
def leaves_keys_out(indexer: Indexer) -> Iterator[Unreadable]:
    most = int(indexer.got.sum(-1).max())
    if most > indexer.budget:
        yield Unreadable(
            f"a query reads {most} keys, more than budget={indexer.budget}: where every key is read, no layout shows. "
            "Say the function's own budget, or lower it"
        )


@rule(needs=["leaves_keys_out"])
def reads_the_right_keys(indexer: Indexer) -> Iterator[Finding | Property | Unreadable]:
    shares = {way: indexer.share(way) for way in indexer.ways}
    best = max(shares, key=shares.__getitem__)
    length = f"{LENGTHS * indexer.budget} tokens, of which {indexer.budget} are read"
    if shares[indexer.told] >= SAME:
        yield Property("sparse.budget", "the right keys are read beyond the budget", True, length)
    elif shares[best] >= SAME:
        words = f"{shares[indexer.told]:.2f} of the keys are those of {indexer.told}; they are those of {best}"
        yield Finding(INDEXER_LAYOUT, words, length)
    else:
        words = f"{shares[indexer.told]:.2f} of the keys are those of {indexer.told}, and no other way fits"
        yield Unreadable(f"{words}: say d_rotated and base, and give the weights as they are")
