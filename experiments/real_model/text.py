"""The text: Python's reference of its language, with random words planted at set distances before two ends."""

from __future__ import annotations

import hashlib
import pydoc_data.topics
import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

SHA256 = "71f2ff5d99bdc1f9c48c5c2353ad138201c5ca1c377e0226857ef8fa89b8bcee"
LENGTH, TRAINED = 16_384, 8_192
ENDS = TRAINED - 64, LENGTH - 64
GAPS = 256, 1_024, 4_096, 7_168, 10_240, 14_336
PLANTED, EACH, SETTLING, BEGUN = 32, 4, 8, 4
"""Words of a sequence, sequences a distance, tokens after one that are not counted, words that begin a copy."""


def reference() -> str:
    """The same on every machine with CPython 3.11.7; of another version another text, which is refused."""
    topics = pydoc_data.topics.topics
    text = "\n\n".join(topics[name] for name in sorted(topics))
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != SHA256:
        raise ValueError(f"the recorded runs read the topics of CPython 3.11.7; here they have the hash {found}")
    return text


@dataclass(frozen=True)
class Planted:
    """`copies[end, gap]` are [EACH, PLANTED] tokens; the copy with number r began 64 r tokens further back."""

    tokens: Tensor
    counted: Tensor
    copies: dict[tuple[int, int], Tensor]


def planted(ids: Tensor, vocabulary: Sequence[str]) -> Planted:
    generator = torch.Generator().manual_seed(0)
    words = torch.tensor([i for i, word in enumerate(vocabulary) if re.fullmatch("Ġ[a-z]{3,}", word)])
    tokens, counted, copies = ids[:LENGTH].clone(), torch.ones(LENGTH, dtype=torch.bool), {}
    for end, gap in ((end, gap) for end in ENDS for gap in GAPS if gap < end - 64):
        copies[end, gap] = words[torch.randint(len(words), (EACH, PLANTED), generator=generator)]
        for r, copy in enumerate(copies[end, gap]):
            begin = end - gap - 64 * r
            if not counted[begin : begin + PLANTED].all():
                raise ValueError(f"two sequences are planted at {begin}")
            tokens[begin : begin + PLANTED] = copy
            counted[begin : begin + PLANTED + SETTLING] = False
    return Planted(tokens, counted, copies)
