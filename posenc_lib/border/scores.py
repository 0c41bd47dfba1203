"""What attention asks of q, k, v and their positions, and of what its slots and the mask give for the scores."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from posenc_lib.border.declare import Relation
from posenc_lib.border.positions import counted, places
from posenc_lib.border.relations import together
from posenc_lib.border.tensors import fits, is_integer, require_one_place, shapes, tensor
from posenc_lib.border.values import require_values


def require_one_attention(q: Tensor, k: Tensor, v: Tensor | None = None) -> None:
    """q, k and v of one attention: the heads of q are those of k, or a multiple of them."""
    require_one_place(q=q, k=k, **({} if v is None else {"v": v}))
    if v is not None and v.shape[:-1] != k.shape[:-1]:
        raise ValueError(f"each key needs one value, but the shapes differ before the last axis: {shapes(k=k, v=v)}")
    q_heads, k_heads = q.shape[-3:-2], k.shape[-3:-2]
    grouped = len(k_heads) > 0 and len(q_heads) > 0 and k_heads[0] > 0 and q_heads[0] % k_heads[0] == 0
    if q.shape[:-3] != k.shape[:-3] or q.shape[-1] != k.shape[-1] or not (q_heads == k_heads or grouped):
        raise ValueError(
            "q and k may differ in their length n, the axis before the last, and the heads of q may be a multiple of "
            f"those of k; got {shapes(q=q, k=k)}"
        )


equal_heads = together(
    lambda d_model, h: d_model % h == 0,
    "each head takes d_model/h features, so h must divide d_model; got d_model = {d_model}, h = {h}",
)


def require_heads(h: int, d: int, *, q: Tensor | None = None, k: Tensor | None = None) -> None:
    """What meets learned vectors of h heads has h heads too; one head of k may serve several heads of q."""
    if q is not None and (q.ndim < 3 or q.shape[-3] != h or q.shape[-1] != d):
        raise ValueError(f"q must be [*batch, h, n, d] with h = {h} and d = {d}; got {list(q.shape)}")
    if k is not None and (k.ndim < 3 or k.shape[-3] < 1 or h % k.shape[-3] or k.shape[-1] != d):
        needed = f"h = {h} or a divisor of it and d = {d}"
        raise ValueError(f"k must be [*batch, h, n, d] with {needed}; got {list(k.shape)}")


def positions_of(x: Tensor, positions: Any, name: str) -> Tensor:
    """The positions of q or k: 0 … n - 1 unless given."""
    if positions is None:
        return torch.arange(x.shape[-2], device=x.device)
    expected, given = x.shape[:-1], tensor()(f"{name}_positions", positions).shape
    # Only these two ranks: [b n] beside [b h n] would be taken for one row per head wherever b = h.
    if given[-1:] != expected[-1:] or len(given) not in (1, len(expected)) or not fits(given, expected):
        raise ValueError(
            f"{name}_positions must have the shape [{expected[-1]}], or one for each axis of {name} but the last, "
            f"such as {[*expected[:-2], 1, expected[-1]]}; got {list(given)} for {shapes(**{name: x})}"
        )
    return positions


def features_of(whose: str, x: str, weight: str) -> Relation:
    """Q or k has as many features as there are rows in the weight, or the matrix, of that name."""
    return together(
        lambda x, weight: x.shape[-1] == len(weight),
        lambda x, weight: f"q and k must have the d = {len(weight)} features of {whose}; got {list(x.shape)}",
    ).of(x, weight)


def require_pair(both: Any, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """What a transform of slot 2 gives."""
    if not isinstance(both, tuple) or len(both) != 2:
        raise TypeError(f"a transform must give a pair, (q, k); got {type(both).__name__}")
    Q, K = tensor()("the q that a transform gives", both[0]), tensor()("the k that a transform gives", both[1])
    if Q.shape[:-1] != q.shape[:-1] or K.shape != (*k.shape[:-1], Q.shape[-1]):
        raise ValueError(
            f"a transform must keep the heads and lengths of q and k; got {shapes(q=Q, k=K)} for {shapes(q=q, k=k)}"
        )
    return both


def require_weights(weights: Any, scores: Tensor) -> Tensor:
    if tensor()("weights", weights).shape != scores.shape:
        raise ValueError(f"weights must give one number for each score; {shapes(weights=weights, scores=scores)}")
    return weights


def require_rows(out: Any, weights: Tensor) -> Tensor:
    if tensor()("average", out).shape[:-1] != weights.shape[:-1]:
        raise ValueError(f"average must give one row for each query; {shapes(average=out, weights=weights)}")
    return out


def require_same_shape(added: Tensor, out: Tensor) -> Tensor:
    if tensor()("value_bias", added).shape != out.shape:
        raise ValueError(f"value_bias must give the shape of the output; {shapes(value_bias=added, output=out)}")
    return added


def require_fitting(name: str, x: Any, scores: Tensor) -> Tensor:
    require_one_place(**{name: tensor()(name, x), "the scores": scores})
    if not fits(x.shape, scores.shape):
        given = shapes(**{name: x}, scores=scores)
        raise ValueError(f"{name} must broadcast to the scores, [..., h, n_q, n_k]; got {given}")
    return x


def require_mask(mask: Any, scores: Tensor) -> Tensor:
    if tensor()("mask", mask).dtype != torch.bool:
        raise TypeError(f"mask must be boolean, True where a query may attend; got {mask.dtype}. Numbers are a bias")
    require_fitting("mask", mask, scores)
    # Between the two, [b, n_q, n_k] would be taken for one mask per head where b = h.
    if 2 < mask.ndim < scores.ndim:
        raise ValueError(
            f"mask must be [n_q, n_k], or have as many axes as the scores, such as [b, 1, n_q, n_k]; "
            f"got {shapes(mask=mask, scores=scores)}"
        )
    return mask


def require_visible_keys(scores: Tensor) -> None:
    """The softmax of a row of -inf is NaN. The answer depends on values, so on a GPU this waits for them.

    So is that of a row with inf, where finite numbers have had a product that is not.
    """
    scores = scores.detach()
    greatest = scores.amax(dim=-1) if scores.shape[-1] else scores.new_full(scores.shape[:-1], float("-inf"))
    hidden, rule = greatest.isneginf(), "mask and bias leave a query no key to attend to"
    remedy = "Let each see at least one key, as `| ~real.mT` with a padding mask does, or drop these queries"
    said = lambda bad: f"mask and bias leave {_some(bad)} no key to attend to, at [..., n_q] = {_places(bad)}. {remedy}"  # noqa: E731
    require_values(~hidden, rule, said, wait=True)
    remedy = "Scale q or k down, and look for infinity in the bias"
    said = lambda bad: f"the scores of {_some(bad)} overflow to infinity, at [..., n_q] = {_places(bad)}. {remedy}"  # noqa: E731
    require_values(~greatest.isposinf(), "scores overflow to infinity", said)


def ordered(name: str, positions: Any) -> Tensor:
    """Positions that can be compared: half precision takes 256 for 257."""
    rule = counted("positions are compared") if is_integer(tensor(1)(name, positions).dtype) else places
    return rule(name, positions)


comparable = together(
    lambda q_positions, k_positions: q_positions.ndim == k_positions.ndim or 1 in (q_positions.ndim, k_positions.ndim),
    "positions must be [n], or have equally many axes on both sides; got q_positions {q_positions}, k_positions "
    "{k_positions}",
)


def _some(queries: Tensor) -> str:
    return f"{int(queries.sum())} of {queries.numel()} queries"


def _places(queries: Tensor) -> str:
    rows = queries.nonzero().tolist()
    return ", ".join(map(str, rows[:4])) + (", …" if len(rows) > 4 else "")
