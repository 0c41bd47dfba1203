"""A state in the place of the cache: each token multiplies it by a matrix, its transition, and adds its key and value.

All functions here take the transitions as matrices, [d, d] for each token. `decays`, `turns` and `reflections` make
them, and `@` composes them. Kernels never write such a matrix; this is for study and for tests.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, content, device, one_of, together, whole, wide
from posenc_lib.pairs import Layout
from posenc_lib.rotary import rotate

_OUTER = together(
    lambda w, beta: w.shape[:-1] == beta.shape, "each vector needs its own beta; got {w} vectors and {beta} betas"
)
_FIT = together(
    lambda q, k, transitions: q.shape == k.shape and transitions.shape == (*q.shape, q.shape[-1]),
    "q and k must be [..., n, d], and the transitions [..., n, d, d]; got {q}, {k} and {transitions}",
)
_VALUES = together(
    lambda q, v: v.shape[:-1] == q.shape[:-1],
    "each query needs a value; got q {q} and v {v}: repeat shared heads first",
)
_STATE = together(
    lambda q, v, state: state is None or state.shape == (*q.shape[:-2], q.shape[-1], v.shape[-1]),
    "the state must be [..., d, d_v]; got {state} for q {q} and v {v}",
)


@border(h=whole(1), device=device)
def retention_decays(h: int, *, device: torch.device | str | None = None) -> Float[Tensor, "{h}"]:
    r"""RetNet's decay for each token, one constant per head: 0.96875 in the first, then half as far from 1 each time.

    $$\gamma_j = 1 - 2^{-5-j}, \qquad j = 0, \dots, h - 1$$

    In float64: from head 20 on, float32 would round some of them.

    Source: Sun et al. 2023 (arXiv:2307.08621); `RetNetRelPos` in the authors' code (microsoft/torchscale, commit
    4d1e0e8, torchscale/architecture/retnet.py).

    >>> retention_decays(3)
    tensor([0.9688, 0.9844, 0.9922], dtype=torch.float64)
    """
    return 1 - 2.0 ** (-5 - torch.arange(h, dtype=torch.float64, device=device))


@border(gates=content(2))
def decays(gates: Float[Tensor, "*heads n d"]) -> Float[Tensor, "*heads n d d"]:
    r"""Transitions that multiply each feature of the keys by its gate, $T_l = \operatorname{diag}(a_l)$.

    One gate for all features: expand it, `gate[..., None].expand_as(k)`. Gates are factors, 1 keeps and 0 forgets;
    code that works with their logarithms takes the exponential first.

    Source: Yang et al. 2023 (arXiv:2312.06635), as in fla-org/flash-linear-attention, fla/ops/gla/naive.py; one gate
    for all features: Dao and Gu 2024 (arXiv:2405.21060), fla/ops/simple_gla/naive.py.

    >>> decays(torch.tensor([[0.5, 1.0]]))
    tensor([[[0.5000, 0.0000],
             [0.0000, 1.0000]]])
    """
    return torch.diag_embed(gates)


@border(angles=wide(2), layout=one_of(Layout))
def turns(
    angles: Float[Tensor, "*heads n pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads n two_pairs two_pairs"]:
    r"""Transitions that rotate each pair of features of the keys clockwise, by angles in radians.

    $$T_l = R_{\varphi_l}^\top$$

    Clockwise, so that constant angles are the rotary encoding, where $\langle R_m q, R_n k\rangle = q^\top
    R_{m-n}^\top k$. They are made in the angles' dtype.

    Refused: angles in half precision, or not finite.

    Source: Movahedi et al. 2025 (arXiv:2511.17388), Selective RoPE; constant angles: Sun et al. 2023
    (arXiv:2307.08621), RetNet.

    >>> turns(torch.tensor([[torch.pi / 2]])).round(decimals=4) + 0.0
    tensor([[[ 0.,  1.],
             [-1.,  0.]]])
    """
    d = 2 * angles.shape[-1]
    units = torch.eye(d, dtype=angles.dtype, device=angles.device).expand(*angles.shape[:-1], d, d)
    return rotate(units, angles[..., None, :], layout=layout)  # row i is the rotated unit i: the transpose


@border(_OUTER, w=content(2), beta=content(1))
def reflections(w: Float[Tensor, "*heads n d"], beta: Float[Tensor, "*heads n"]) -> Float[Tensor, "*heads n d d"]:
    r"""Transitions that shrink, erase or reflect the part of the keys along one vector.

    $$T_l = I - \beta_l w_l w_l^\top$$

    With $|w_l| = 1$, $\beta_l = 0$ changes nothing, 1 projects and 2 mirrors; beyond 2, keys get longer. The vectors
    are taken as they are, so normalise them first.

    Source: Yang et al. 2024 (arXiv:2406.06484), DeltaNet, where w = k; Yang et al. 2025 (arXiv:2505.16381), PaTH.

    >>> reflections(torch.tensor([[1.0, 0.0]]), torch.tensor([2.0]))
    tensor([[[-1.,  0.],
             [ 0.,  1.]]])
    """
    eye = torch.eye(w.shape[-1], dtype=w.dtype, device=w.device)
    return eye - beta[..., None, None] * w[..., :, None] * w[..., None, :]


@border(_FIT, _VALUES, _STATE, q=content(2), k=content(2), v=content(2), transitions=content(3), state=content(2))
def recurrent(
    q: Float[Tensor, "*heads n d"],
    k: Float[Tensor, "*heads n d"],
    v: Float[Tensor, "*heads n d_v"],
    transitions: Float[Tensor, "*heads n d d"],
    state: Float[Tensor, "*heads d d_v"] | None = None,
) -> tuple[Float[Tensor, "*heads n d_v"], Float[Tensor, "*heads d d_v"]]:
    r"""The outputs, token by token, and the last state, from which the text can go on.

    $$S_m = T_m S_{m-1} + k_m v_m^\top, \qquad o_m = S_m^\top q_m$$

    Nothing is scaled; papers scale q by $1/\sqrt d$. The delta rule writes $\beta_m v_m$: pass that as v. The state is
    float32 at least, and zero where none is given; the outputs have v's dtype.

    Refused: shapes that do not fit.

    Source: Katharopoulos et al. 2020 (arXiv:2006.16236), where each transition is I.

    >>> one = torch.ones(3, 1)
    >>> recurrent(one, one, one, decays(0.5 * one))[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])
    """
    q, k, wide_v, transitions, state = _widened(q, k, v, transitions, state)
    outputs = [wide_v[..., :0, :]]
    for t in range(q.shape[-2]):
        state = transitions[..., t, :, :] @ state + k[..., t, :, None] * wide_v[..., t, None, :]
        outputs.append(q[..., t, None, :] @ state)
    return torch.cat(outputs, dim=-2).to(v.dtype), state


@border(_FIT, q=content(2), k=content(2), transitions=content(3))
def transition_scores(
    q: Float[Tensor, "*heads n d"], k: Float[Tensor, "*heads n d"], transitions: Float[Tensor, "*heads n d d"]
) -> Float[Tensor, "*heads n n"]:
    r"""How well each query matches each key after all transitions between them; 0 for keys after the query.

    $$A_{mn} = q_m^\top\, T_m T_{m-1} \cdots T_{n+1}\, k_n$$

    `transition_scores(q, k, transitions) @ v` is what `recurrent` gives. With a causal softmax in between, and
    reflections that do not come from the keys, it is PaTH. The scores are float32 at least.

    Refused: shapes that do not fit.

    Source: the recurrence, unrolled; Yang et al. 2025 (arXiv:2505.16381), as in fla-org/flash-linear-attention,
    fla/ops/path_attn/naive.py.

    >>> one = torch.ones(3, 1)
    >>> transition_scores(one, one, decays(0.5 * one))
    tensor([[1.0000, 0.0000, 0.0000],
            [0.5000, 1.0000, 0.0000],
            [0.2500, 0.5000, 1.0000]])
    """
    q, k, _, transitions, _ = _widened(q, k, k, transitions, None)
    return _within(q, k, transitions)[0]


@border(
    _FIT, _VALUES, _STATE,
    q=content(2), k=content(2), v=content(2), transitions=content(3), size=whole(1), state=content(2),
)  # fmt: skip
def chunked(
    q: Float[Tensor, "*heads n d"],
    k: Float[Tensor, "*heads n d"],
    v: Float[Tensor, "*heads n d_v"],
    transitions: Float[Tensor, "*heads n d d"],
    size: int,
    state: Float[Tensor, "*heads d d_v"] | None = None,
) -> tuple[Float[Tensor, "*heads n d_v"], Float[Tensor, "*heads d d_v"]]:
    r"""The same as `recurrent`, a chunk at a time: scores within the chunk, and one state between chunks.

    $$o_m = \sum_{n = c + 1}^{m} (q_m^\top T_m \cdots T_{n+1} k_n)\, v_n + S_c^\top (T_m \cdots T_{c+1})^\top q_m$$

    c is the last token before the chunk, whose state is $S_c$. The last chunk may be shorter.

    Refused: shapes that do not fit.

    Source: Sun et al. 2023 (arXiv:2307.08621); as in fla-org/flash-linear-attention, fla/ops/simple_gla/naive.py.

    >>> one = torch.ones(3, 1)
    >>> chunked(one, one, one, decays(0.5 * one), size=2)[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])
    """
    q, k, wide_v, transitions, state = _widened(q, k, v, transitions, state)
    outputs = [wide_v[..., :0, :]]
    for start in range(0, q.shape[-2], size):
        part = (..., slice(start, start + size), slice(None))
        scores, keys, through = _within(q[part], k[part], transitions[(*part, slice(None))])
        before = (q[part][..., None, :] @ through)[..., 0, :]
        outputs.append(scores @ wide_v[part] + before @ state)
        state = through[..., -1, :, :] @ state + keys.mT @ wide_v[part]
    return torch.cat(outputs, dim=-2).to(v.dtype), state


def _within(q: Tensor, k: Tensor, transitions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The scores; the keys as they are after the last transition; and the products of all transitions so far."""
    keys, product = k[..., :0, :], torch.eye(k.shape[-1], dtype=k.dtype, device=k.device)
    scores, products = [q[..., :0, :] @ k.mT], [transitions[..., :0, :, :]]
    for t in range(q.shape[-2]):
        step = transitions[..., t, :, :]
        keys, product = torch.cat((keys @ step.mT, k[..., t : t + 1, :]), dim=-2), step @ product
        row = q[..., t : t + 1, :] @ keys.mT
        scores.append(torch.nn.functional.pad(row, (0, q.shape[-2] - t - 1)))
        products.append(product[..., None, :, :])
    return torch.cat(scores, dim=-2), keys, torch.cat(products, dim=-3)


def _widened(q: Tensor, k: Tensor, v: Tensor, transitions: Tensor, state: Tensor | None) -> list[Tensor]:
    """All in the widest of their dtypes, float32 at least, and a state of zeros where there is none."""
    if state is None:
        state = v.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1])
    dtype = torch.float32
    for x in (q, k, v, transitions, state):
        dtype = torch.promote_types(dtype, x.dtype)
    return [x.to(dtype) for x in (q, k, v, transitions, state)]
