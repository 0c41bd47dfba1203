"""What came of a bad argument: an error of our own, a clear one of torch's, the right answer, or a fault."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from copy import deepcopy
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn

from posenc_lib.border.precision import Exact
from tests.contract.arguments import Call
from tests.contract.badness import Bad, bad_versions
from tests.contract.methods import collected

NO_VMAP = {"greedy_decode": "it fills a tensor, which torch.vmap forbids"}
MEMORY = ("allocate", "Storage size", "too large", "overflow", "Invalid array size", "invalid", "maximum size")
CLEAR = ("have the same dtype", "mixed dtype", "probability has to be", "Expected one of cpu", "Device string must")
"""What torch says itself, as well as we could."""


# --- which rule reads an argument


def readers(call: Call) -> dict[str, set[str]]:
    """The rules that read each argument while a good call runs, its own and those further in."""
    seen = {name: {"its rule"} if name in rules(call) else set() for name in call.args}

    def watch(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and is_rule(code):
            for value in frame.f_locals.values():
                for name, x in call.args.items():
                    if any(is_same(x, each) for each in (value.values() if isinstance(value, dict) else [value])):
                        seen[name].add(code.co_name)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def is_rule(code: CodeType) -> bool:
    """What lies in the border, and what begins with a name, as rules do; `declare` itself reads nothing."""
    folder, _, file = code.co_filename.rpartition("/")
    if file == "declare.py" or "/posenc_lib" not in folder:
        return False
    return folder.endswith("/posenc_lib/border") or code.co_varnames[:1] == ("name",)


def rules(call: Call) -> dict[str, Any]:
    return getattr(call.signature, "rules", {})


def is_same(x: Any, value: Any) -> bool:
    """A view, too, is the tensor that was given."""
    if isinstance(x, Tensor) and isinstance(value, Tensor):
        return x.untyped_storage().data_ptr() == value.untyped_storage().data_ptr()
    return x is value or (isinstance(x, (int, float, str)) and type(x) is type(value) and x == value)


# --- what is in a result


def values(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result.detach()]
    if isinstance(result, nn.Module):
        exact = [module.value for module in result.modules() if isinstance(module, Exact)]
        return [x.detach() for x in (*result.parameters(), *exact)]
    return [x for each in result for x in values(each)] if isinstance(result, (tuple, list)) else []


def finite(result: Any) -> bool:
    return all(x.isfinite().all() for x in values(result))


def makes_sense(result: Any) -> bool:
    """A bias of minus infinity hides a key."""
    return all((x.isfinite() | (x == -torch.inf)).all() for x in values(result))


def same(result: Any, right: Any, tolerance: float) -> bool:
    a, b = values(result), values(right)
    return len(a) == len(b) and all(
        x.numel() == y.numel()
        and torch.allclose(x.flatten().to(torch.complex128), y.flatten().to(torch.complex128), tolerance, tolerance)
        for x, y in zip(a, b, strict=True)
    )


def tolerance_of(value: Any) -> float:
    coarse = isinstance(value, Tensor) and value.dtype in (torch.float16, torch.bfloat16)
    return 0.05 if coarse else 1e-5


# --- verdicts


def verdict(good: Call, name: str, bad: Bad, read_by: set[str]) -> str:
    """a: our own error. b: torch's, about memory. e: right. Anything else is a fault."""
    try:
        result = good(**{name: bad.value})
    except Exception as error:
        return judge(error, bad)
    if not read_by and same(result, good(), 0):
        return "e"  # an argument that stands in the signature of its slot, and is not used
    if bad.spreads:
        return "e" if spreads(good, name, result, read_by) else "d3: accepted"
    if bad.value is None and name in good.optional:
        return "e"
    if bad.right is not None:
        right = good(**{name: bad.right})
        return "e" if same(result, right, tolerance_of(bad.value)) else "d1: a wrong number"
    if not bad.any_number and not (bad.dtype and moved(read_by)):
        return "d2: accepted"
    return "e" if makes_sense(result) else "d3: NaN or infinity"


def spreads(good: Call, name: str, result: Any, read_by: set[str]) -> bool:
    """NaN goes from content to the result, as everywhere in torch, or stands where nobody looks.

    What else it may pass stands in UNCHECKED of the method's `method.py`: `function.argument` → why.
    """
    if f"{good.name}.{name}" in collected("UNCHECKED") or moved(read_by):
        return True
    return "_content" in read_by and (not finite(result) or same(result, good(), 0))


def moved(read_by: set[str]) -> bool:
    """Any dtype will do, and any value, where numbers are only put in another place."""
    return "_tensor" in read_by and not read_by & {"_content", "_wide", "_per_pair", "_counted", "places"}


def judge(error: Exception, bad: Bad) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = "posenc_lib" in last.filename and isinstance(error, (ValueError, TypeError))
    if ours and last.line.startswith("raise"):
        return "a"
    clear = any(words in str(error) for words in (*CLEAR, *(MEMORY if bad.any_number else ())))
    return "b" if clear else f"c: {type(error).__name__}: {str(error)[:90]}"


def tried(good: Call) -> Iterator[tuple[str, str]]:
    """What is tried, and its verdict."""
    try:
        read_by = readers(good)
    except Exception as error:
        yield f"{good.name}, a good call", f"d2: {type(error).__name__}: {error}"
        return
    for argument, value in good.args.items():
        for bad in bad_versions(value):
            yield f"{good.name}, {argument} {bad.said}", verdict(good, argument, bad, read_by[argument])
    yield f"{good.name}, all on meta", on_meta(good)
    for argument, value in good.args.items():
        if isinstance(value, Tensor) and good.name not in NO_VMAP:
            yield f"{good.name}, {argument} under vmap", under_vmap(good, argument)


def on_meta(good: Call) -> str:
    moved = {n: deepcopy(x).to("meta") if isinstance(x, (Tensor, nn.Module)) else x for n, x in good.args.items()}
    try:
        result, right = values(good(**moved)), values(good())
    except Exception as error:
        return judge(error, Bad("", None))
    return "e" if [x.shape for x in result] == [x.shape for x in right] else "d1: another shape"


def under_vmap(good: Call, name: str) -> str:
    try:
        twice = torch.vmap(lambda x: tuple(values(good(**{name: x}))), randomness="same")(
            torch.stack([good.args[name]] * 2)
        )
    except Exception as error:
        return judge(error, Bad("", None))
    return "e" if all(same([x[0], x[1]], [y, y], 1e-5) for x, y in zip(twice, values(good()), strict=True)) else "d1"
