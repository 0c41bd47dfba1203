"""The number that a reader's function gives each distance, and which of T5's rules is nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError, first_line_of, in_their_places
from posenc_checks.calling.results import numbers_of
from posenc_lib.relative import t5_bucket

REACH = 300
DISTANCES = f"−{REACH} … {REACH}"
REACHES = (16, 20, 32, 64, 100, 128, 256, 512, 1_000, 1_024)
SIGNS = {"key - query": -1, "query - key": 1}


@dataclass(frozen=True)
class T5Rule:
    """So many buckets up to a distance, which counts one way, in one direction or in both."""

    size: int
    max_distance: int
    both: bool
    distance: str

    def buckets(self, given: Tensor) -> Tensor:
        return t5_bucket(SIGNS[self.distance] * given, self.size, self.max_distance, bidirectional=self.both)


@dataclass(frozen=True)
class Buckets:
    """What came out for the distances that were given, and what the reader expects."""

    given: Tensor
    out: Tensor
    changed: bool  # whether the function changed the distances
    size: int
    max_distance: int
    bidirectional: bool | None
    distance: str | None

    @cached_property
    def got(self) -> Tensor:
        return self.out.long()

    @cached_property
    def nearest(self) -> T5Rule:
        """Of the expected sizes."""
        rules = [T5Rule(self.size, self.max_distance, both, way) for both in (True, False) for way in SIGNS]
        return min(rules, key=lambda each: len(self.wrong(each)))

    def wrong(self, rule: T5Rule) -> Tensor:
        """The places of the distances that have another bucket by this rule."""
        return (self.got != rule.buckets(self.given)).nonzero().flatten()

    def side(self, sign: int) -> Tensor:
        """The buckets of the distances 0, 1, 2, … on one side."""
        own = self.got[self.given * sign >= 0]
        return own if sign > 0 else own.flip(0)

    @property
    def _reaches(self) -> range:
        """Largest distances with which the last bucket might begin where it does."""
        past, n = self.side(SIGNS[self.nearest.distance]), self.size // (2 if self.nearest.both else 1)
        begins, exact = int((past == past.max()).nonzero()[0]), n // 2
        if not exact < begins < REACH:
            return range(0)
        about = int(exact * (begins / exact) ** ((n - exact) / (n - exact - 1)))
        return range(about - about // 20 - 1, about + about // 20 + 2)

    @cached_property
    def other_sizes(self) -> T5Rule | None:
        """The rule of another number of buckets, or another largest distance, that gives all of them."""
        top = int(self.got.max()) + 1
        sizes = sorted({top, 2 * top, 16, 32, 64, 128})
        for both, n, reach, way in product((True, False), sizes, (*REACHES, *self._reaches), SIGNS):
            if n < 4 or n % 2 or reach <= n // (4 if both else 2):
                continue
            if torch.equal((rule := T5Rule(n, reach, both, way)).buckets(self.given), self.got):
                return rule
        return None


def read_buckets(
    function: Callable[..., Any], size: int, max_distance: int, bidirectional: bool | None, distance: str | None
) -> Buckets:
    given = torch.arange(-REACH, REACH + 1)
    shown = given.clone()
    try:
        out = numbers_of(lambda: function(shown.copy_(given))).double()
    except CallError:
        raise
    except Exception as error:
        raise CallError(f"called with distances {DISTANCES} it ends in {first_line_of(error)}") from None
    if distance is None and "relative_position" in {p.name for p in in_their_places(function)}:
        distance = "key - query"
    return Buckets(given, out, not torch.equal(shown, given), size, max_distance, bidirectional, distance)
