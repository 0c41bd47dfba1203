"""Recurrent encodings: each position's vector is made from the one before, in steps or in continuous time.

`recurrence` repeats any step. `linear_recurrence` repeats a matrix, for all positions at once. `Floater` lets the
position be a time, and integrates a field that may be learned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Integer, Real
from torch import Tensor, nn

from posenc_lib.border import (
    border,
    content,
    counted,
    from_zero,
    function,
    known,
    places,
    positive,
    shaped,
    together,
    whole,
    wide,
)
from posenc_lib.border.tensors import require_made
from posenc_lib.border.values import require_all

MAX_VECTORS = 2**20
"""The most vectors of a recursion: each is a call of its step, and all are kept."""

MAX_STEPS = 5_000
"""The most steps of the solver from one position to the next: some seconds. It calls the field six times in each."""

Field = Callable[[Float[Tensor, " d_model"], Float[Tensor, ""]], Float[Tensor, " d_model"]]
"""The rate at which the encoding p changes at the time t: h(p, t)."""

_VECTORS = whole(1, MAX_VECTORS, why="the start is one of them", beyond="linear_recurrence goes further, at once")


def _steps(name: str, positions: Any) -> Tensor:
    return places(name, counted("only Floater has positions between the steps")(name, positions))


_VECTOR = shaped(content(), lambda shape: len(shape) == 1, "one vector, [d_model]")
_SQUARE = together(
    lambda matrix, start: matrix.shape == start.shape * 2,
    "the matrix must be [d_model, d_model]; got matrix {matrix}, start {start}",
)
_NO_GRADIENT = together(
    lambda positions: not positions.requires_grad,
    "positions get no gradient here, but require one: pass positions.detach()",
)


@border(step=function, start=content(), n=_VECTORS)
def recurrence(
    step: Callable[[Float[Tensor, " d_model"]], Float[Tensor, " d_model"]], start: Float[Tensor, " d_model"], n: int
) -> Float[Tensor, "{n} d_model"]:
    r"""The first n vectors of a recursion, one after the other.

    $$p_0 = \text{start}, \qquad p_{k+1} = f(p_k)$$

    f may be any function, and gradients flow through all steps. It gets a copy of each vector, and may change it in
    place.

    Refused: an f that changes the shape, and more than 2**20 vectors.

    Source: Liu et al. 2020 (arXiv:2003.09229), of which this is the discrete case.

    >>> recurrence(lambda p: 2 * p, torch.tensor([1.0]), 4).flatten()
    tensor([1., 2., 4., 8.])
    """
    codes = [start]
    for _ in range(n - 1):
        codes.append(_require_shape("the step", step(codes[-1].clone()), start))
    return torch.stack(codes)


@border(_SQUARE, matrix=content(), start=_VECTOR, positions=from_zero("and matrix.inverse() goes back", known(_steps)))
def linear_recurrence(
    matrix: Float[Tensor, "d_model d_model"], start: Float[Tensor, " d_model"], positions: Integer[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n d_model"]:
    r"""The recursion $p_{k+1} = A\,p_k$ at any positions, all at once.

    $$p_k = A^k p_0, \qquad A^k = \prod_{j\,:\,k_j = 1} A^{2^j} \quad\text{for } k = \textstyle\sum_j k_j 2^j$$

    The matrix is squared once for each binary digit of the largest position: 20 times for a million. It need not be
    diagonalisable. The arithmetic is done in float64, and the result has the dtype of `start`. Steps $Ap + b$ become
    linear with a constant 1 as one more feature.

    Refused: negative positions, and a result that overflows the dtype of `start`. Positions decide how often the matrix
    is squared, so on a GPU the call waits for them, and it is refused under `torch.vmap`, on the meta device and in
    `torch.export`.

    >>> linear_recurrence(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([0.0, 1.0]), torch.tensor([0, 5, 1000]))
    tensor([[   0.,    1.],
            [   5.,    1.],
            [1000.,    1.]])
    """
    power, p, k = matrix.double(), start.double().expand(*positions.shape, -1), positions
    while k.any():
        p = torch.where((k % 2 == 1)[..., None], p @ power.mT, p)
        k = k // 2
        power = power @ power
    return _require_no_overflow(p.to(start.dtype), start)


class Floater(nn.Module):
    r"""FLOATER: the encoding is the path of a learned field, and the position is the time.

    $$\frac{\mathrm{d}p_t}{\mathrm{d}t} = h(p_t, t), \qquad p_0 = \text{start}$$

    Called with positions (integers or real numbers, in any order, repeats included), it gives a vector for each: [...,
    n, d_model], to be added to the embeddings. `field(p, t)` takes a vector [d_model] and the time as a tensor without
    axes. The field may be an `nn.Module`; its parameters, and the start, which is a parameter here, get gradients back
    through the steps of the solver.

    torchdiffeq integrates from 0 to the last position, by Dormand and Prince's method of order 5 with steps of its own
    choice. `tolerance` bounds the error that the solver estimates for one step, absolute and relative; the errors of
    many steps add up. The arithmetic is done in the dtype of `start`: below a tolerance of 1e-8, take float64.

    Refused: negative positions, and positions that require a gradient; a field that changes the shape; a path that ends
    before the last position, or that takes more than 5,000 steps from one position to the next (the error comes after
    1,000 steps if they do not get longer and 50,000 would not be enough). The solver reads values, so the module does
    not run under `torch.vmap`, on the meta device or in `torch.export`.

    Source: Liu et al. 2020 (arXiv:2003.09229). There, each layer has a path of its own, for its biases.

    >>> quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]) * torch.pi / 2
    >>> flow = Floater(lambda p, t: quarter_turn @ p, torch.tensor([0.0, 1.0]))
    >>> flow(torch.tensor([1.0, 0.5])).detach().round(decimals=4) + 0.0
    tensor([[1.0000, 0.0000],
            [0.7071, 0.7071]])
    """

    @border(field=function, start=_VECTOR, tolerance=positive)
    def __init__(self, field: Field, start: Float[Tensor, " d_model"], *, tolerance: float = 1e-6) -> None:
        super().__init__()
        self.field, self.tolerance = field, tolerance
        self.start = nn.Parameter(start.detach().clone())

    def extra_repr(self) -> str:
        return f"d_model={len(self.start)}, tolerance={self.tolerance:g}"

    @border(_NO_GRADIENT, positions=from_zero("where the path starts", known(places)))
    def forward(self, positions: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        wide()("start", self.start)
        from_zero = torch.cat((positions.new_zeros(1), positions.flatten())).double()
        times, place = from_zero.unique(return_inverse=True)  # sorted, each once: as the solver wants them
        path = torch.compiler.disable(_solve)(self._rate, self.start, times, self.tolerance)
        return path[place[1:].view(positions.shape)]

    def _rate(self, t: Float[Tensor, ""], p: Float[Tensor, " d_model"]) -> Float[Tensor, " d_model"]:
        return _require_shape("the field", self.field(p, t), p)


class _Watched:
    """A rate that is looked at ten times on the way, and gives up where the path goes on as slowly as before."""

    def __init__(self, rate: Callable, times: Tensor) -> None:
        self.rate, self.times, self.calls = rate, times, 0
        self.last, self.pace = times[0], 0.0

    def __call__(self, t: Tensor, p: Tensor) -> Tensor:
        self.calls += 1
        if self.calls % (6 * MAX_STEPS // 10) == 0:
            before, self.pace, self.last = self.pace, (t - self.last).item(), t.detach()
            ahead = self.times[self.times > t][:1] - t
            if self.pace < 2 * before and (ahead > 100 * self.pace).any():
                raise _too_far(self.times)
        return self.rate(t, p)


def _solve(rate: Callable, start: Tensor, times: Tensor, tolerance: float) -> Tensor:
    """Never compiled: it chooses its steps by the values, so there is no fixed graph. Imported late: it loads scipy."""
    try:
        from torchdiffeq import odeint
    except ImportError as error:
        raise ImportError('Floater needs the solver of torchdiffeq: pip install "posenc-lib[floater]"') from error
    at_most = {"max_num_steps": MAX_STEPS}
    try:
        rate = _Watched(rate, times)
        return odeint(rate, start, times, rtol=tolerance, atol=tolerance, method="dopri5", options=at_most)
    except AssertionError as error:
        raise (_too_far(times) if "max_num_steps" in str(error) else _ended(times, error)) from error


def _too_far(times: Tensor) -> ValueError:
    return ValueError(
        f"the solver needs more than {MAX_STEPS} steps between two positions, on the way to {times[-1].item():g}. "
        "Scale the time of the field, or allow a larger tolerance"
    )


def _ended(times: Tensor, error: AssertionError) -> ValueError:
    return ValueError(
        f"the solver did not reach position {times[-1].item():g} ({error}): the path of this field seems to end "
        "before, or its values are not finite. Damp the field, or scale its time"
    )


def _require_no_overflow(p: Tensor, start: Tensor) -> Tensor:
    rule = "the recursion overflows, or the matrix is not finite"
    remedy = "Scale the matrix, shorten the text, or take a start in float64"
    require_all(p, p.isfinite() | ~start.isfinite().all(), rule, remedy, wait=True)
    return p


def _require_shape(who: str, result: Tensor, p: Tensor) -> Tensor:
    return require_made(who, result, p.shape, needed=f"keep the shape {list(p.shape)}")
