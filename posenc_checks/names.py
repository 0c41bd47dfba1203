"""What the arguments of a reader's function are, by the names that the field uses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

NAMES = {
    "x": "x t tensor hidden_states hidden inputs input feats features vec vectors u",
    "q": "q query queries xq query_states query_layer q_heads",
    "k": "k key keys xk key_states key_layer",
    "v": "v value values xv value_states value_layer",
    "positions": "positions position_ids pos position input_pos pos_ids token_positions ids m",
    "q_positions": "q_positions q_pos query_positions positions_q",
    "k_positions": "k_positions k_pos key_positions positions_k",
    "cos": "cos cos_cached cosine cosines",
    "sin": "sin sin_cached sine sines",
    "angles": "angles angle freqs phases emb rotary_pos_emb rope_emb thetas",
    "cis": "freqs_cis freqs_complex cis rope_complex",
    "offset": "offset start_pos start past_len past_length cache_offset position_offset seqlen_offset start_index",
    "length": "seq_len n seqlen length n_positions max_len",
    "d": "d dim head_dim d_head",
}
ROLES = {name: role for role, names in NAMES.items() for name in names.split()}
FEATURES, TABLES = ("x", "q", "k", "v"), ("cos", "sin", "angles", "cis")


class CallError(ValueError):
    """The function could not be called; the message says what to do."""


def said(error: BaseException) -> str:
    """The first line of what was raised."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def numbers(out: Any) -> Tensor:
    """What a reader's function returned, if it is a tensor or an array of numbers."""
    try:
        out = torch.as_tensor(out)
    except Exception:  # numpy's and torch's errors are of many kinds
        raise CallError(f"{type(out).__name__} came back, where a tensor or an array is needed") from None
    if out.is_meta or out.is_complex() or out.layout is not torch.strided:
        kind = "meta" if out.is_meta else "complex" if out.is_complex() else "sparse"
        raise CallError(f"a {kind} tensor came back, where one of real numbers is needed")
    return out.detach().cpu()


def numbers_of(call: Callable[[], Any]) -> Tensor:
    """The same of a call, which must give the same when it is repeated."""
    out, again = numbers(call()), numbers(call())
    if out.shape != again.shape or not torch.equal(out.nan_to_num(nan=-1.5), again.nan_to_num(nan=-1.5)):
        raise CallError(RANDOM)
    return out


RANDOM = (
    "two equal calls give different results, so there is nothing to read. Is there a dropout, noise, or a count of "
    "calls inside? Check it alone, in eval mode"
)


def roles_of(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """The roles of a function's arguments, by their names; and the name, where an argument before it is left out."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise CallError("its arguments have no names to read: say how it is called, as in call='q k cos sin'") from None
    given = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    roles: list[str] = []
    keywords: list[str | None] = []
    skipped = False
    for p in given:
        optional = p.default is not p.empty
        role = ROLES.get(p.name.lower(), "x" if len(given) == 1 else None)
        if optional and not _wanted(role, roles):
            skipped = True
            continue
        if role is None:
            raise CallError(
                f"the argument {p.name!r} has no usual name: say how the function is called, as in "
                f"call='q k cos sin'. Known are {', '.join(NAMES)}"
            )
        roles.append(role)
        keywords.append(p.name if skipped or p.kind is p.KEYWORD_ONLY else None)
    if not {*roles} & {"x", "q"}:
        raise CallError(f"no argument takes the features to rotate; it takes {', '.join(p.name for p in parameters)}")
    return tuple(roles), tuple(keywords)


def _wanted(role: str | None, roles: list[str]) -> bool:
    """Whether an argument that may be left out is given: positions where no table comes in, and offsets."""
    return role == "offset" or (role in ("positions", "q_positions", "k_positions") and not {*TABLES} & {*roles})


def forward_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.forward if isinstance(function, torch.nn.Module) else function
