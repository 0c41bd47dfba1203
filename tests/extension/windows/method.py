"""Distances mapped to those that a model was trained on, as the contract takes them."""

from collections.abc import Callable
from functools import partial

from posenc_lib.extension import (
    MappedRotary,
    dual_chunk_ids,
    leaky_rerope_ids,
    rerope_ids,
    self_extend_ids,
    sink_ids,
)
from tests.contract.method import Method, freqs


def mapped(ids: Callable, relative: bool, **numbers: float) -> Method:
    slots = MappedRotary(freqs(), partial(ids, **numbers)).slots()
    return Method((MappedRotary, ids), relative, slots=slots, per_pair=True)


METHODS = {
    "rerope": lambda: mapped(rerope_ids, True, window=3),
    "rerope, leaky": lambda: mapped(leaky_rerope_ids, True, window=3, factor=2.0),
    "self-extend": lambda: mapped(self_extend_ids, False, window=3, group=2),
    "dual chunk": lambda: mapped(dual_chunk_ids, False, chunk=4, local=1),
    "sinks in the cache": lambda: mapped(sink_ids, False, sinks=2, recent=3),
}
NO_METHOD = {
    "mapped_scores": "the scores of MappedRotary",
    "sink_mask": "the mask that goes with sink_ids",
}
