"""Is this bias a function of the distance? If it is a straight line: whose slopes are these?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.names import CallError, numbers, numbers_of, said
from posenc_checks.report import Property, Report, off_by
from posenc_checks.slopes import name_slopes

N, LONG = 24, 600
"""So many tokens are looked at, the last ones of a longer text if there is one: half precision shows there."""
NAMES = {
    "heads": "h heads n_heads num_heads number_of_heads nheads n_head",
    "n": "n length seq_len sequence_length seqlen n_positions size max_seq_len",
    "n_q": "i n_q q_len query_length len_q",
    "n_k": "j n_k k_len key_length len_k",
    "q_positions": "q_positions q_pos query_positions positions_q pos_i positions position_ids pos",
    "k_positions": "k_positions k_pos key_positions positions_k pos_j",
    "mask": "attention_mask mask",
    "dtype": "dtype",
}
ROLES = {name: role for role, names in NAMES.items() for name in names.split()}


def check_bias(
    function: Any, *, heads: int | None = None, slopes: Tensor | None = None, call: str | None = None
) -> Report:
    r"""Reads a bias as a matrix over positions 0, 1, 2, … for each head, and says what it is and what is wrong with it.

    A bias may hold a constant for each query besides, which softmax cannot see: $+s\,n$ is ALiBi too, under a causal
    mask. Only keys up to the query are looked at.

    The function takes positions, or numbers of tokens and heads, by their usual names, or by `call` ("heads n"); a
    tensor [h, n, n] or [h, 1, n] is taken as it is. `heads` is the number of heads of the model, whose slopes are
    expected, and `slopes` are others that are.

    A function that cannot be called gives a report whose `ok` is None.

    Source: Press, Smith and Lewis 2022 (arXiv:2108.12409), section 3, for the slopes.

    >>> report = check_bias(lambda n: -torch.arange(n)[:, None].sub(torch.arange(n)).float()[None] / 256, heads=8)
    >>> report.faults, report.facts["slopes"]
    (['alibi-head-count'], '0.003906')
    """
    report = Report(getattr(function, "__name__", type(function).__name__), "bias")
    try:
        bias = _read(function, heads, call)
    except CallError as error:
        report.unknown.append(str(error))
        return report
    if not bias.tril().isfinite().all():
        report.find("nan", "below the diagonal", "query 0")
        return report
    report.facts["heads"] = len(bias)
    _check(bias, heads, slopes, report)
    return report


def _check(bias: Tensor, heads: int | None, slopes: Tensor | None, report: Report) -> None:
    """`bias` is [h, n, n]; what a query adds to all of its keys is taken off."""
    past = bias - bias.diagonal(dim1=1, dim2=2)[..., None]
    by_distance = torch.stack([past[:, m, [m - min(r, m) for r in range(N)]] for m in range(N)], 1)
    last = by_distance[:, -1]  # [h, distances]
    seen = torch.arange(N)[:, None] >= torch.arange(N)  # [queries, distances]
    off = ((by_distance - last[:, None]).abs() * seen).amax().item()
    size = last.abs().max().item()
    relative = off <= 1e-4 * max(size, 1e-6)
    if not relative and _shared_keys(bias):
        report.find("alibi-bias-half", f"keys {_shared_keys(bias)} have one number", "a text that long")
        return
    report.properties.append(Property("expansion.bias", "a function of the distance", relative, off_by(off)))
    if not relative:
        h, m, r = (int(i) for i in ((by_distance - last[:, None]).abs() * seen).eq(off).nonzero()[0])
        report.find(
            "bias-not-relative", f"distance {r} costs {by_distance[h, m, r]:.4g} and {last[h, r]:.4g}", f"query {m}"
        )
        return
    if size == 0 and bias.isfinite().all() and (bias - bias[:, :1, :1]).abs().max() > 0:
        report.find(
            "bucket-sign",
            f"keys up to the query get 1 number, and {len(bias[0].unique()) - 1} others come after it",
            "query 1, key 0",
        )
        return
    line = last[:, 1:2] * torch.arange(N)
    if size == 0 or (last - line).abs().max() > 1e-3 * size:
        report.facts["shape"] = f"no straight line; {len(last[0].unique())} different numbers in the first head"
        return
    got = -last[:, -1] / (N - 1)
    report.facts["shape"] = "a straight line"
    report.facts["slopes"] = ", ".join(f"{s:.4g}" for s in got[:8].tolist())
    name_slopes(got, heads, slopes, report)


def _shared_keys(bias: Tensor) -> str:
    """Two neighbouring keys with one number, among keys that have numbers of their own before."""
    steps = bias[:, -1].diff()
    for head in range(len(steps)):
        equal = (steps[head] == 0).nonzero()
        if len(equal) and steps[head].abs().max() > 0:
            return f"{int(equal[0])} and {int(equal[0]) + 1} of head {head}"
    return ""


def _read(function: Any, heads: int | None, call: str | None) -> Tensor:
    """The bias over N queries and keys, [h, N, N]."""
    out = numbers(function) if isinstance(function, (Tensor, np.ndarray)) else _call(function, heads, call)
    out = out.double()
    if out.ndim == 1:  # slopes alone
        out = -out[:, None, None] * (torch.arange(N)[:, None] - torch.arange(N)).abs()
    while out.ndim > 3 and out.shape[0] == 1:
        out = out[0]
    out = out[None] if out.ndim == 2 else out
    if out.ndim != 3 or out.shape[2] < N or out.shape[1] not in (1, out.shape[2]):
        raise CallError(f"a bias [h, n, n] or [h, 1, n] over {N} tokens at least is needed; got {list(out.shape)}")
    return out.expand(-1, out.shape[2], -1)[:, -N:, -N:]


def _call(function: Callable[..., Any], heads: int | None, call: str | None) -> Tensor:
    forward = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        parameters = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        raise CallError("its arguments have no names to read: say how it is called, as in call='heads n'") from None
    roles = call.split() if call else [ROLES.get(p.name.lower(), p.name) for p in parameters if p.default is p.empty]
    given = _given(heads, LONG)
    if unknown := [role for role in roles if role not in given]:
        raise CallError(
            f"unknown arguments {unknown}: say how it is called with {', '.join(given)}, as in call='heads n'"
        )
    try:
        return numbers_of(lambda: function(*(given[role] for role in roles)))
    except CallError:
        raise
    except Exception:  # a table that is shorter
        given = _given(heads, N)
    try:
        return numbers_of(lambda: function(*(given[role] for role in roles)))
    except CallError:
        raise
    except Exception as error:
        raise CallError(f"called with ({', '.join(roles)}) it ends in {said(error)}") from None


def _given(heads: int | None, n: int) -> dict[str, Any]:
    places = torch.arange(n)
    given = {"heads": heads or 8, "n": n, "n_q": n, "n_k": n, "q_positions": places, "k_positions": places}
    return given | {"mask": torch.ones(1, n, dtype=torch.long), "dtype": torch.float32}
