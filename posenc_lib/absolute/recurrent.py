"""Recurrent encodings: each position's vector is made from the one before, in steps or in continuous time.

`recurrence` repeats any step. `linear_recurrence` does so for a matrix, at all positions at once. `Floater` lets the
position be a time, and integrates a field that may be learned.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Integer, Real
from torch import Tensor, nn

from posenc_lib.inputs import (
    WIDE,
    is_integer,
    require_floating,
    require_function,
    require_number,
    require_positions,
    require_readable,
    require_tensor,
    require_values,
    require_whole,
)

MAX_STEPS = 5_000
"""The most steps of the solver from one position to the next: some seconds."""

Field = Callable[[Float[Tensor, " d_model"], Float[Tensor, ""]], Float[Tensor, " d_model"]]
"""The rate at which the encoding p changes at the time t: h(p, t)."""


def recurrence(
    step: Callable[[Float[Tensor, " d_model"]], Float[Tensor, " d_model"]], start: Float[Tensor, " d_model"], n: int
) -> Float[Tensor, "{n} d_model"]:
    r"""The first n vectors of a recursion, one after the other.

    $$p_0 = \text{start}, \qquad p_{k+1} = f(p_k)$$

    Any f, and gradients flow through all steps. f gets a copy, and may change it in place.

    Raises `ValueError` if n is not positive, or if f changes the shape; `TypeError` if n is no integer, f no function,
    the start not floating point, or what f gives no tensor.

    Source: Liu et al. 2020 (arXiv:2003.09229), of which this is the discrete case.

    >>> recurrence(lambda p: 2 * p, torch.tensor([1.0]), 4).flatten()
    tensor([1., 2., 4., 8.])
    """
    require_function(step=step)
    require_floating(start=start)
    require_whole(n=n)
    if n < 1:
        raise ValueError(f"n counts the vectors, the start among them, so it must be positive; got {n}")
    codes = [start]
    for _ in range(n - 1):
        codes.append(_same_shape("step", step(codes[-1].clone()), start))
    return torch.stack(codes)


def linear_recurrence(
    matrix: Float[Tensor, "d_model d_model"], start: Float[Tensor, " d_model"], positions: Integer[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n d_model"]:
    r"""The recursion $p_{k+1} = A\,p_k$ at any positions, all at once.

    $$p_k = A^k p_0, \qquad A^k = \prod_{j\,:\,k_j = 1} A^{2^j} \quad\text{for } k = \textstyle\sum_j k_j 2^j$$

    The matrix is squared once for each binary digit of the largest position: 20 times for a million. It need not
    have eigenvectors. The arithmetic is done in float64, and the result has the dtype of `start`. Steps
    $Ap + b$ are linear as well, with a 1 as one more feature.

    Raises `ValueError` for a matrix that does not fit the start, for positions that are negative or beyond 2**40, or if
    a power of the matrix that is needed overflows; `TypeError` for positions that are not integers, or a matrix or a
    start that is not floating point. Positions decide how often the matrix is squared, so they are waited for on a GPU,
    and refused under `torch.vmap`, on the meta device and by `torch.export`.

    >>> linear_recurrence(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([0.0, 1.0]), torch.tensor([0, 5, 1000]))
    tensor([[   0.,    1.],
            [   5.,    1.],
            [1000.,    1.]])
    """
    require_positions(positions)
    if not is_integer(positions.dtype):
        raise TypeError(f"steps are counted in integers; got {positions.dtype}. Between the steps there is Floater")
    require_floating(matrix=matrix, start=start)
    if matrix.shape != start.shape * 2:
        raise ValueError(f"the matrix must be [d_model, d_model] for start {list(start.shape)}; got {[*matrix.shape]}")
    require_readable(positions)
    power, p, k = matrix.double(), start.double().expand(*positions.shape, -1), positions.long()
    if (k < 0).any():
        raise ValueError(f"steps are counted from 0; got position {k.min()}. Back goes matrix.inverse()")
    while k.any():
        p = torch.where((k % 2 == 1)[..., None], p @ power.mT, p)
        k = k // 2
        power = power @ power if k.any() else power
        _require_no_overflow(power)
    return p.to(start.dtype)


def _require_no_overflow(power: Tensor) -> None:
    rule = "a power of the matrix overflows, or the matrix is not finite"
    require_values(
        power.isfinite(),
        rule,
        lambda bad: f"{rule}; got {power[bad][0].item()}. Scale it, or shorten the text",
        wait=True,
    )


class Floater(nn.Module):
    r"""FLOATER: the encoding is the path of a learned field, and the position is the time.

    $$\frac{\mathrm{d}p_t}{\mathrm{d}t} = h(p_t, t), \qquad p_0 = \text{start}$$

    Called with positions (integers, or real numbers, in any order, also repeated), it gives a vector for each:
    [..., n, d_model], to be added to the embeddings. `field(p, t)` takes a vector [d_model] and the time as a tensor
    without axes. It may be an `nn.Module`; its parameters and the start, which is a parameter here, get gradients,
    back through the steps of the solver.

    torchdiffeq integrates from 0 to the last position, by Dormand and Prince's method of order 5 with steps of its
    own choice. `tolerance` bounds the error that it estimates for a step, absolute and relative; the errors of many
    steps add up. The arithmetic is done in the dtype of `start`: below a tolerance of 1e-8, take float64.

    Raises `TypeError` for a start that is not float32 or float64, or for positions in half precision or bool;
    `ValueError` if the start is not [d_model], if the tolerance is not positive, if positions are negative, not
    finite or require a gradient, if the field changes the shape, if the path ends before the last position, or if the
    solver needs more than 5,000 steps from one position to the next; `ImportError` without torchdiffeq. The solver
    reads values: not under `torch.vmap`, on the meta device or in `torch.export`.

    Source: Liu et al. 2020 (arXiv:2003.09229). There each layer has such a path of its own, for its biases.

    >>> quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]) * torch.pi / 2
    >>> flow = Floater(lambda p, t: quarter_turn @ p, torch.tensor([0.0, 1.0]))
    >>> flow(torch.tensor([1.0, 0.5])).detach().round(decimals=4) + 0.0
    tensor([[1.0000, 0.0000],
            [0.7071, 0.7071]])
    """

    def __init__(self, field: Field, start: Float[Tensor, " d_model"], *, tolerance: float = 1e-6) -> None:
        super().__init__()
        require_floating(start=start)
        require_function(field=field)
        require_number(tolerance=tolerance)
        if start.ndim != 1:
            raise ValueError(f"start must be one vector, [d_model]; got {list(start.shape)}")
        if not 0 < tolerance < float("inf"):
            raise ValueError(f"tolerance must be positive; got {tolerance}")
        self.field, self.tolerance = field, tolerance
        self.start = nn.Parameter(start.detach().clone())

    def forward(self, positions: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        if self.start.dtype not in WIDE:
            raise TypeError(
                f"start must be float32 or float64; got {self.start.dtype}. Cast the encoded result instead"
            )
        _require_times(positions)
        from_zero = torch.cat((positions.new_zeros(1), positions.flatten())).double()
        times, place = from_zero.unique(return_inverse=True)  # sorted, each once: as the solver wants them
        try:
            path = torch.compiler.disable(_solve)(self._rate, self.start, times, self.tolerance)
        except AssertionError as error:
            if "max_num_steps" in str(error):
                raise ValueError(
                    f"the solver needs more than {MAX_STEPS} steps between two positions, on the way to "
                    f"{times[-1].item():g}. Scale the time of the field, or allow a larger tolerance"
                ) from error
            raise ValueError(
                f"the solver did not reach position {times[-1].item():g} ({error}): the path of this field seems to "
                "end before, or its values are not finite. Damp the field, or scale its time"
            ) from error
        return path[place[1:].view(positions.shape)]

    def _rate(self, t: Float[Tensor, ""], p: Float[Tensor, " d_model"]) -> Float[Tensor, " d_model"]:
        return _same_shape("field", self.field(p, t), p)


def _solve(rate: Callable, start: Tensor, times: Tensor, tolerance: float) -> Tensor:
    """Never compiled: it chooses its steps by the values, so there is no fixed graph. Imported late: it loads scipy."""
    try:
        from torchdiffeq import odeint
    except ImportError as error:
        raise ImportError('Floater needs the solver of torchdiffeq: pip install "posenc-lib[floater]"') from error
    return odeint(
        rate, start, times, rtol=tolerance, atol=tolerance, method="dopri5", options={"max_num_steps": MAX_STEPS}
    )


def _same_shape(name: str, result: Tensor, p: Tensor) -> Tensor:
    require_tensor(**{f"what the {name} gives": result})
    if result.shape != p.shape:
        raise ValueError(f"the {name} must keep the shape {list(p.shape)}; it gave {list(result.shape)}")
    return result


def _require_times(positions: Tensor) -> None:
    require_tensor(positions=positions)
    require_readable(positions)
    if positions.requires_grad:
        raise ValueError("positions have no gradient here, but they require one: pass positions.detach()")
    if not positions.isfinite().all():
        raise ValueError("positions must be finite; got nan or inf")
    require_positions(positions)
    if (positions.double() < 0).any():
        raise ValueError(f"the path starts at position 0; got {positions.min().item():g}. Shift the positions")
