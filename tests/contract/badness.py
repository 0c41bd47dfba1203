"""What is bad about an argument: all that may be given in the place of a good one of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_lib.border.tensors import is_integer
from posenc_lib.transformer import Cache


@dataclass
class Bad:
    """`right` is the argument cleaned, whose result is right too; without one there is only an error to be given."""

    said: str
    value: Any
    right: Any = None
    spreads: bool = False  # NaN or infinity: in content it may spread to the result
    dtype: bool = False  # no number of ours
    any_number: bool = False  # what is refused or computed, so long as it is finite


INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.uint32, torch.uint64, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def bad_versions(good: Any) -> Iterator[Bad]:
    if isinstance(good, Tensor):
        yield from bad_tensors(good) if good.dtype != torch.bool else bad_masks(good)
    elif isinstance(good, torch.dtype):
        for dtype in (torch.int64, torch.bool, "float32"):
            yield Bad(f"dtype {dtype}", dtype)
    elif isinstance(good, torch.device):
        for name in ("nowhere", "", 1.5, torch.ones(1)):
            yield Bad(f"device {name!r}", name)
    elif isinstance(good, torch.Generator):
        for thing in (None, 3, "3", torch.ones(1)):
            yield Bad(f"no generator but {thing!r}", thing)
    elif isinstance(good, set):
        for thing in (None, 3, "x", 1.5, torch.ones(1)):
            yield Bad(f"no set but {thing!r}", thing)
        yield Bad("a list", list(good), right=good)
    elif isinstance(good, bool):
        for x in (None, 0, 2, 0.5, np.nan, "no", "", [], torch.ones(1), np.ones(2)):
            yield Bad(f"the flag {x!r}", x)
        yield Bad("numpy's", np.bool_(good), right=good)
    elif isinstance(good, str):
        for name in ("neox", "", None, 3, torch.ones(1)):
            yield Bad(f"{name!r}", name)
    elif isinstance(good, tuple):
        for sides in ((), good[:1], (*good, 2), (1.5, 2), (np.nan, 2), (0, 2), (2, -1), (True, 2), None, 4, "ab"):
            yield Bad(f"sides {sides}", sides)
        yield Bad("a list", list(good), right=good)
    elif isinstance(good, dict):
        for thing in (None, 3, [], "config", [good]):
            yield Bad(f"no dictionary but {type(thing).__name__}", thing)
        yield from bad_entries(good)
    elif isinstance(good, list):
        for layers in (None, 3, [], [None], good[0]):
            yield Bad(f"layers {type(layers).__name__}", layers)
    elif isinstance(good, Cache):
        for thing in (3, "x", torch.ones(2)):
            yield Bad(f"no cache but {type(thing).__name__}", thing)
    elif callable(good):
        for thing in (None, 3, torch.ones(2)):
            yield Bad(f"no function but {type(thing).__name__}", thing)
    else:
        yield from bad_numbers(good)


def bad_entries(good: dict[str, Any]) -> Iterator[Bad]:
    """A dictionary, with each of its entries missing or bad in turn, also in the dictionaries within."""
    for key, value in good.items():
        yield Bad(f"without {key}", {k: v for k, v in good.items() if k != key}, any_number=True)
        bad = bad_entries(value) if isinstance(value, dict) else ()
        yield from (Bad(f"{key} {each.said}", {**good, key: each.value}, any_number=each.any_number) for each in bad)
        for x in (True, 1j, np.nan, np.inf, "3", torch.ones(2), np.ones(2), -1.0):
            yield Bad(f"{key} {x!r}", {**good, key: x})
        for x in (None, 0, 1, 3, 10**15, 0.5, [], [1.0], [np.nan], {}, "default"):
            yield Bad(f"{key} {x!r}", {**good, key: x}, any_number=True)


def bad_numbers(good: int | float) -> Iterator[Bad]:
    for x in (None, "3", True, 1j, np.nan, np.inf, -np.inf, [good], torch.ones(2), np.ones(2)):
        yield Bad(f"{x!r}", x)
    for x in (0, -1, 1, 2, 3, 7, 10**15, -(10**15)):
        yield Bad(f"the number {x}", x, any_number=True)
    yield Bad("numpy's", np.int64(good) if isinstance(good, int) else np.float64(good), right=good)
    if isinstance(good, int):
        yield Bad("a fraction", good + 0.5)
        yield Bad("a float", float(good), right=good)
    else:
        for x in (1e-320, 1e300, 0.5):
            yield Bad(f"the number {x}", x, any_number=True)


def bad_masks(good: Tensor) -> Iterator[Bad]:
    """Marks of tokens have one axis, [n], and may have any others in front; masks of queries and keys have more."""
    marks = good.ndim == 1
    yield Bad("None", None)
    for dtype in (*INTEGERS, *FLOATS, torch.complex64):
        yield Bad(f"{dtype}", good.to(dtype))
    yield Bad("an array", good.numpy(), right=good)
    yield Bad("a list", good.tolist(), right=good)
    yield Bad("every second", torch.stack((good, good), -1)[..., 0], right=good)
    yield Bad("one axis more", good[None], right=good)
    yield Bad("two axes more", good[None, None], right=good)
    yield Bad("without axes", good.flatten()[0], any_number=True)
    yield Bad("empty", good[..., :0], any_number=True)
    yield Bad("one axis less", good[0], any_number=True)
    yield Bad("of one key", good[..., :1], any_number=True)
    yield Bad("for each sample, b = h", torch.stack((good, good)), any_number=marks)
    if not marks:
        yield Bad("that hides a query", good & (torch.arange(good.shape[-2]) > 0)[:, None])


def bad_tensors(good: Tensor) -> Iterator[Bad]:
    whole = is_integer(good.dtype)
    yield Bad("None", None)
    yield Bad("bool", good.bool(), dtype=True)
    yield Bad("complex", good.to(torch.complex64), dtype=True)
    yield Bad("an array", good.numpy(), right=good)
    yield Bad("a list", good.tolist(), right=good)
    yield Bad("a number", 1.5)
    for dtype in (*INTEGERS, *FLOATS):
        given = good.to(dtype)
        exact = is_integer(dtype) and good.is_floating_point()  # float32 would round 2**32 - 1
        yield Bad(f"{dtype}", given, right=given.double() if exact else given.to(good.dtype))
        if is_integer(dtype) and whole:
            for end in (torch.iinfo(dtype).min, torch.iinfo(dtype).max):
                given = torch.cat((torch.tensor([end], dtype=dtype), good.abs().to(dtype).flatten()[1:])).view(
                    good.shape
                )
                wide = None if dtype.itemsize == 8 else given.long()
                yield Bad(f"{dtype} {end}", given, right=wide, any_number=True)
    for x in (np.nan, np.inf, -np.inf):
        given = good.to(good.dtype if good.is_floating_point() else torch.float64).clone()
        given.view(-1)[0] = x
        yield Bad(f"{x}", given, spreads=True)
    if whole:
        yield Bad("fractions", good + 0.5, any_number=True)
        for shift in (2**41, -(2**41), 2**53 + 1, 2**62):
            yield Bad(f"shifted by {shift}", good + shift, any_number=True)
        yield Bad("negative", -1 - good, any_number=True)
    yield Bad("every second", torch.stack((good, good), -1)[..., 0], right=good)
    yield Bad("a gradient", good.clone().requires_grad_() if not whole else good.double().requires_grad_(), right=good)
    yield Bad("without axes", good.flatten()[0], any_number=True)
    yield Bad("empty", good[..., :0], any_number=True)
    yield Bad("one axis less", good[0], any_number=True)
    yield Bad("one axis more", good[None], right=good)
    yield Bad("two axes more", good[None, None], right=good)
    yield Bad("one too long", torch.cat((good, good[..., -1:]), -1), any_number=True)
    yield Bad("one of its entries", good[..., :1], any_number=True)
    yield Bad("for each sample, b = h", torch.stack((good, good)), any_number=True)
