"""How a reader's rotary function is called: its convention is read from the names of its arguments, and by trying.

Whatever the convention, what comes out has one: features [b, h, n, d] and positions go in, rotated features come out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_lib.pairs import geometric_freqs

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
AXES = ("bhnd", "bnhd", "nbhd", "hnd", "nhd", "bnd", "nd")
FEATURES, TABLES = ("x", "q", "k", "v"), ("cos", "sin", "angles", "cis")


class CallError(ValueError):
    """The function could not be called; the message says what to do."""


@dataclass(frozen=True)
class Convention:
    """Roles of the arguments in their order, axes of the features, and the shape of what else goes in."""

    roles: tuple[str, ...]
    keywords: tuple[str | None, ...] = ()  # of each argument, where it must be named
    axes: str = "bhnd"
    table: str = "n"  # the axes of cosines: n, bn, or as the features have them
    width: str = "half"  # of a table of our own: one column a pair, or two, "cat" or "repeat"
    positions: str = "n"
    array: bool = False

    def says(self) -> str:
        shape = ", ".join(self.axes)
        own = [f"cosines doubled by {self.width}"] if self.width != "half" and {*self.roles} & {*TABLES} else []
        return "; ".join([f"called with ({', '.join(self.roles)}), features [{shape}]", *own])


@dataclass(frozen=True)
class Rotation:
    """The reader's function behind one signature. `table` is the reader's maker of cosines, if there is one."""

    function: Callable[..., Any]
    convention: Convention
    d: int
    table: Callable[[Tensor, Tensor], Any] | None = None

    @property
    def takes_positions(self) -> bool:
        """Whether positions are the caller's choice; else rows are counted."""
        return bool({"positions", "q_positions", *TABLES} & {*self.convention.roles})

    @property
    def own_angles(self) -> bool:
        """Whether the angles are the reader's, and not made here."""
        return self.table is not None or not {*TABLES} & {*self.convention.roles}

    def __call__(self, x: Tensor, positions: Tensor, offset: int = 0) -> list[Tensor]:
        """Rotates x [b, h, n, d] as each of the tensors that the function takes: the results, [b, h, n, d] each."""
        c = self.convention
        if "b" not in c.axes and len(x) > 1:
            rows = [self(row[None], _of_sample(positions, i), offset) for i, row in enumerate(x)]
            return [torch.cat(each) for each in zip(*rows, strict=True)]
        if "h" not in c.axes and x.shape[1] > 1:
            heads = [self(x[:, i : i + 1], positions, offset) for i in range(x.shape[1])]
            return [torch.cat(each, 1) for each in zip(*heads, strict=True)]
        given = self._arguments(x, positions, offset)
        named = [*c.keywords, *[None] * (len(c.roles) - len(c.keywords))]
        args = [self._as_given(given[role]) for role, name in zip(c.roles, named, strict=True) if name is None]
        kwargs = {name: self._as_given(given[role]) for role, name in zip(c.roles, named, strict=True) if name}
        out = self.function(*args, **kwargs)
        outs = [out] if not isinstance(out, (tuple, list)) else list(out)
        outs = [_tensor(each) for each in outs[: sum(role in FEATURES for role in c.roles)]]
        return [_arrange(each, c.axes, x) for each in outs]

    def _arguments(self, x: Tensor, positions: Tensor, offset: int) -> dict[str, Any]:
        c = self.convention
        features = _give(x, c.axes)
        given: dict[str, Any] = dict.fromkeys(FEATURES, features) | {"offset": offset, "length": x.shape[2]}
        if "q" in c.roles and "k" in c.roles:
            given["k"] = features.clone()
        places = positions if c.positions == "n" else _rows(positions, x)
        if c.positions == "b1n":
            places = places[:, None]
        given |= dict.fromkeys(("positions", "q_positions", "k_positions"), places) | {"d": self.d}
        if {*TABLES} & {*c.roles}:
            indexed = "positions" in c.roles and self.table is None
            at = torch.arange(int(positions.max()) + 1) if indexed else positions
            given |= self._tables(x, at)
        return given

    def _tables(self, x: Tensor, positions: Tensor) -> dict[str, Any]:
        c = self.convention
        if self.table is not None:
            made = self.table(x, positions)
            made = list(made) if isinstance(made, (tuple, list)) else [made]
            names = [role for role in c.roles if role in TABLES]
            if names[:2] == ["sin", "cos"] and len(made) == 2:
                names = ["cos", "sin"]  # a maker of tables gives the cosine first, whatever the function takes first
            return dict(zip(names, made, strict=False))
        angles = positions.double()[..., None] * geometric_freqs(self.d)
        if c.table != "n":
            angles = angles.expand(len(x), -1, -1) if angles.ndim == 2 else angles
            angles = angles if c.table == "bn" else _aligned(angles, c.axes)
        wide = {"half": angles, "cat": torch.cat((angles, angles), -1), "repeat": angles.repeat_interleave(2, -1)}
        angles = wide[c.width]
        tables = {"cos": angles.cos(), "sin": angles.sin(), "angles": angles}
        return {name: each.to(x.dtype) for name, each in tables.items()} | {
            "cis": torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
        }

    def _as_given(self, value: Any) -> Any:
        return value.numpy() if self.convention.array and isinstance(value, Tensor) else value


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


def conventions(
    roles: tuple[str, ...], keywords: tuple[str | None, ...], axes: str | None, own_table: bool
) -> Iterator[Convention]:
    """The usual ways to call a function with these arguments."""
    takes_table = {*TABLES} & {*roles} and not own_table
    tables = ("n", "bn", "aligned") if takes_table else ("n",)
    widths = ("half", "cat", "repeat") if takes_table and roles[-1] != "cis" else ("half",)
    positions = ("n", "bn", "b1n") if {"positions", "q_positions"} & {*roles} or takes_table else ("n",)
    if takes_table and not {"positions", "q_positions"} & {*roles}:
        positions = ("n",)
    for array, axis, table, width, place in product(
        (False, True), AXES if axes is None else (axes,), tables, widths, positions
    ):
        yield Convention(roles, keywords, axis, table, width, place, array)


def find_rotation(
    function: Callable[..., Any],
    right: Callable[[Rotation], bool],
    *,
    call: str | None = None,
    axes: str | None = None,
    d: int | None = None,
    table: Callable[..., Any] | None = None,
) -> Rotation:
    """The first convention under which the function is right; if there is none, the first under which it runs."""
    if not callable(function):
        raise CallError(f"a function or a module is needed; got {type(function).__name__}")
    if inspect.isclass(function):
        raise CallError(f"{function.__name__} is a class: give an object of it, such as rope = {function.__name__}(…)")
    roles, keywords = (tuple(call.replace(",", " ").split()), ()) if call else roles_of(_forward(function))
    if unknown := [role for role in roles if role not in NAMES]:
        raise CallError(f"call has unknown words {unknown}; known are {', '.join(NAMES)}")
    maker = None if table is None else make_table(table)
    runs, failures = None, []
    for size in (64, 128, 32, 16, 8, 96, 80, 256) if d is None else (d,):
        for convention in conventions(roles, keywords, axes, table is not None):
            rotation = Rotation(function, convention, size, maker)
            try:
                fitting = right(rotation)
            except Exception as error:  # whatever the reader's code raises, the next convention may fit
                failures.append(f"{type(error).__name__}: {error}")
                continue
            if fitting:
                return rotation
            runs = runs or rotation
        if runs:
            return runs
    said = failures[0].splitlines()[0][:200] if failures else "nothing was tried"
    raise CallError(f"none of the usual ways to call it works. The first attempt ended in {said}. Say call, axes or d")


def make_table(table: Callable[..., Any]) -> Callable[[Tensor, Tensor], Any]:
    """The reader's maker of tables, called with features and positions as its arguments ask for."""
    parameters = inspect.signature(_forward(table)).parameters.values()
    roles = [ROLES.get(p.name.lower(), "?") for p in parameters if p.default is p.empty]
    roles = ["positions"] if len(roles) == 1 and roles[0] in ("x", "?") else roles
    if "?" in roles or not roles:
        raise CallError(f"the table is made from {', '.join(p.name for p in parameters)}: wrap it in a function of x, positions")

    def made(x: Tensor, positions: Tensor) -> Any:
        ids = _rows(positions, x) if "x" in roles else positions
        given = {"x": x, "positions": ids, "length": int(positions.max()) + 1, "d": x.shape[-1]}
        out = table(*(given[role] for role in roles))
        if "positions" in roles:
            return out
        return tuple(each[positions] for each in out) if isinstance(out, (tuple, list)) else out[positions]

    return made


def with_positions(rotation: Rotation, positions: str) -> Rotation:
    return replace(rotation, convention=replace(rotation.convention, positions=positions))


def _forward(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.forward if isinstance(function, torch.nn.Module) else function


def _of_sample(positions: Tensor, i: int) -> Tensor:
    return positions[i] if positions.ndim == 2 else positions


def _rows(positions: Tensor, x: Tensor) -> Tensor:
    return positions.expand(len(x), -1) if positions.ndim == 1 else positions


def _give(x: Tensor, axes: str) -> Tensor:
    """[b, h, n, d] with other axes; the missing ones have length 1."""
    missing = [i for i, axis in enumerate("bhnd") if axis not in axes]
    order = ["bhnd".index(axis) for axis in axes]
    return x.permute(*order, *missing)[(..., *[0] * len(missing))].contiguous().clone()


def _arrange(out: Tensor, axes: str, x: Tensor) -> Tensor:
    """The inverse of `_give`."""
    wanted = [dict(zip("bhnd", x.shape, strict=True))[axis] for axis in axes]
    if list(out.shape) != wanted:
        raise CallError(f"features {wanted} went in, and {list(out.shape)} came out")
    missing = [axis for axis in "bhnd" if axis not in axes]
    names = "".join(missing) + axes
    return out[(None,) * len(missing)].permute(*(names.index(axis) for axis in "bhnd"))


def _aligned(angles: Tensor, axes: str) -> Tensor:
    """[b, n, w] with an axis for each of the features'."""
    kept = [axis for axis in axes if axis != "d"]
    full = angles[:, None]  # [b, 1, n, w]
    if "b" not in kept:
        full = full[:1]
    names = "bhn"
    full = full.permute(*(names.index(axis) for axis in kept), *(names.index(a) for a in names if a not in kept), 3)
    return full.reshape(*full.shape[: len(kept)], full.shape[-1])


def _tensor(out: Any) -> Tensor:
    if isinstance(out, np.ndarray):
        return torch.from_numpy(out)
    if not isinstance(out, Tensor):
        raise CallError(f"features came back as {type(out).__name__}, not as a tensor or an array")
    return out.detach()
