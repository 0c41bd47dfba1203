"""DeBERTa's disentangled attention: the content of each side meets a vector of the distance, which replaces the other.

Two products of content with a short table come first, and each pair of tokens looks up its two numbers: no tensor has
the axes of queries, keys and features all at once. The log buckets are found by a comparison of integers.
"""

from __future__ import annotations

from math import ceil, exp, floor, log
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, content, distances, known, one_of, satisfying, shared, together, tokens, whole
from posenc_lib.border.positions import MAX_POSITION, require_places
from posenc_lib.border.precision import full_precision, register_exact
from posenc_lib.border.scores import equal_heads, require_heads
from posenc_lib.border.values import require_all
from posenc_lib.relative.distance import ScoreMod, all_distances, buckets, distance_of, for_flex, steps_back
from posenc_lib.slots import Slots

Dialect = Literal["paper", "released"]
"""Which row the position-content term takes: that of n - m (`paper`), or that of m - n (`released`), as the released
code does for both terms."""


@border(distances=distances, span=whole(1, why="it is half of the rows"))
def deberta_row(distances: Int[Tensor, "*batch"], span: int) -> Int[Tensor, "*batch"]:
    r"""The row of the table for each distance m - n, how many tokens back the key lies: one of 0 … 2 span - 1.

    $$\delta(m, n) = \max(0, \min(m - n + w, 2w - 1)), \qquad w = \text{span}$$

    The paper counts in the same way, so rows fall as the key moves right. Row w is for the token itself.

    Source: He et al. 2021 (arXiv:2006.03654), section 3.1, the definition of δ.

    >>> deberta_row(torch.tensor([4, 3, 2, 1, 0, -1, -2, -3, -4]), 3)
    tensor([5, 5, 5, 4, 3, 2, 1, 0, 0])
    """
    return _delta(distances, span)


def _near(name: str, x: Any) -> Tensor:
    """Distances for which a bucket is made."""
    x = known(distances)(name, x)
    require_all(x, x.abs() <= MAX_POSITION, f"{name} must be at most 2**40 in size", wait=True)
    return x


_BUCKETS = satisfying(lambda n: n >= 4 and n % 2 == 0, "even and at least 4", buckets)
_NEAREST = together(
    lambda n_buckets, max_position: n_buckets <= max_position,
    "max_position must be at least n_buckets, {n_buckets}; got {max_position}",
)


@border(_NEAREST, distances=_near, n_buckets=_BUCKETS, max_position=whole(most=MAX_POSITION))
def log_bucket(distances: Int[Tensor, "*batch"], n_buckets: int, max_position: int) -> Int[Tensor, "*batch"]:
    r"""The bucket of each distance: the distance itself where it is near, a step of its logarithm where it is far.

    $$\text{bucket}(x) = \begin{cases} x & |x| \le c \\
    \operatorname{sign}(x) \left(c + \Big\lceil (c - 1) \frac{\ln(|x|/c)}{\ln((D - 1)/c)} \Big\rceil\right) & |x| > c
    \end{cases} \qquad c = \tfrac12 n_\text{buckets}$$

    D is `max_position`, in tokens. Distance D - 1 has bucket n_buckets - 1. Nothing is clamped: greater distances have
    greater buckets, which `deberta_row` takes to the ends of its table.

    Refused: an n_buckets that is odd, below 4 or above 1,024, a max_position below n_buckets, and a max_position or a
    distance beyond 2**40. The farthest distance decides how many buckets are made, so the function does not run on the
    meta device, under `torch.vmap` or in a graph.

    Source: `make_log_bucket_position` in the code base of He et al. 2021 (arXiv:2006.03654), in exact integers.

    >>> log_bucket(torch.tensor([-600, -511, -129, -128, 0, 1, 128, 130, 511, 512]), 256, 512)
    tensor([-270, -255, -129, -128,    0,    1,  128,  130,  255,  256])
    """
    farthest = int(distances.abs().max()) if distances.numel() else 0
    return _bucket(distances, _bucket_ends(n_buckets, max_position, farthest).to(distances.device))


def _require_buckets(span: int, max_position: int | None) -> None:
    if max_position is not None:
        _BUCKETS("span", span)


_SPAN = together(
    lambda span, max_position: max_position is None or span <= max_position,
    "max_position must be at least span, {span}; got {max_position}",
)


class DisentangledBias(nn.Module):
    r"""Content-position and position-content, as a `ContentBias`; `slots()` is what `attention` takes.

    $$B_{mn} = \frac{q_m \cdot K_{\delta(m, n)} + k_n \cdot Q_{\delta(n, m)}}{\sqrt{3d}}, \qquad
    K = P\,W_{k,r}, \quad Q = P\,W_{q,r}$$

    P is `table`, [2 span, d_model]; W are `to_keys` and `to_queries`, without bias. Layers share the table if they are
    given the same parameter, and the content shares its matrices with the table if they replace `to_keys` and
    `to_queries`. With `max_position` distances go through `log_bucket(…, span, max_position)` first. Positions are [n],
    or [b, 1, n] where each sample has its own. Scores are computed in float32 at least.

    `dialect="released"` takes δ(m, n) in both terms, as the authors' code and transformers do; released weights need
    it.

    k may have fewer heads than q, as in grouped-query attention.

    Refused: an h that does not divide d_model; with `max_position`, a span that is odd, below 4 or above it; q, k and
    positions that do not fit.

    Source: He et al. 2021 (arXiv:2006.03654), section 3.1, equation 4.

    >>> bias = DisentangledBias(d_model=1, h=1, span=2)
    >>> one = torch.ones(1, 1)
    >>> state = {"table": torch.arange(4.0)[:, None], "to_keys.weight": one, "to_queries.weight": one * 10}
    >>> _ = bias.load_state_dict(state)
    >>> q = k = torch.ones(1, 3, 1)
    >>> bias(q, k, torch.arange(3), torch.arange(3)).detach().div(bias.scale).round()
    tensor([[[22., 31., 30.],
             [13., 22., 31.],
             [ 3., 13., 22.]]])
    """

    @border(
        equal_heads,
        _require_buckets,
        _SPAN,
        d_model=whole(1),
        h=whole(1),
        span=whole(1),
        max_position=whole(most=MAX_POSITION),
        dialect=one_of(Dialect),
    )
    def __init__(
        self, d_model: int, h: int, span: int, *, max_position: int | None = None, dialect: Dialect = "paper"
    ) -> None:
        super().__init__()
        self.h, self.span, self.max_position, self.dialect = h, span, max_position, dialect
        self.scale = (3 * d_model // h) ** -0.5
        self.table = nn.Parameter(nn.init.normal_(torch.empty(2 * span, d_model), std=0.02))
        self.to_keys = nn.Linear(d_model, d_model, bias=False)
        self.to_queries = nn.Linear(d_model, d_model, bias=False)
        # From max_position on δ clamps every bucket to the same row, so none beyond it is needed.
        if max_position is not None:
            register_exact(self, "ends", _bucket_ends(span, max_position, max_position), self.table.device)

    def extra_repr(self) -> str:
        sizes = f"d_model={self.table.shape[-1]}, h={self.h}, span={self.span}, max_position={self.max_position}"
        return f"{sizes}, dialect={self.dialect!r}"

    @property
    def ends(self) -> Int[Tensor, " ends"] | None:
        """The largest distance of each bucket, if there are any."""
        return None if self.max_position is None else self._ends.value

    def slots(self) -> Slots:
        """What `attention` takes: this bias, and the scale for three terms."""
        return Slots(content_bias=self, scale=self.scale)

    @border(distances=distances)
    def row(self, distances: Int[Tensor, "*batch"]) -> Int[Tensor, "*batch"]:
        """δ, taken of the buckets where there are any."""
        return self._row(distances)

    @border(require_places, q=content(2), k=content(2), q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        of_query, of_key = self.by_row(q, k)
        rows, back = self._rows(steps_back(q_positions, k_positions))
        content_position = of_query.gather(-1, rows.expand(*of_query.shape[:-1], -1))
        position_content = of_key.gather(-1, back.mT.expand(*of_key.shape[:-1], -1)).mT
        return content_position + position_content

    @border(q=content(2), k=content(2))
    def by_row(
        self, q: Float[Tensor, "*heads n_q d"], k: Float[Tensor, "*k_heads n_k d"]
    ) -> tuple[Float[Tensor, "*heads n_q rows"], Float[Tensor, "*heads n_k rows"]]:
        """Each query with every row as a key, each key with every row as a query: the only products with content."""
        require_heads(self.h, self.table.shape[-1] // self.h, q=q, k=k)
        with full_precision(q):
            keys, queries = self._heads(self.to_keys), self._heads(self.to_queries)
            wide = torch.promote_types(torch.promote_types(q.dtype, k.dtype), keys.dtype)
            wide = torch.promote_types(wide, torch.float32)
            queries = queries.to(wide).unflatten(0, (k.shape[-3], -1))  # of all heads that read one head of k
            of_key = (k.to(wide)[..., None, :, :] @ queries.mT).flatten(-4, -3)
            return q.to(wide) @ keys.to(wide).mT * self.scale, of_key * self.scale

    @border(require_places, q=for_flex, k=for_flex, q_positions=shared, k_positions=shared)
    def score_mod(
        self,
        q: Float[Tensor, "b h n_q d"],
        k: Float[Tensor, "b h_k n_k d"],
        q_positions: Int[Tensor, " n_q"],
        k_positions: Int[Tensor, " n_k"],
    ) -> ScoreMod:
        """The same for `flex_attention`, made anew for each q and k: nothing is [n_q, n_k], and positions are [n]."""
        of_query, of_key = self.by_row(q, k)
        distances = all_distances(q_positions, k_positions)
        (rows, back), place = self._rows(distances), distance_of(q_positions, k_positions, above=distances[0])
        return lambda score, sample, head, query, key: (
            score
            + of_query[sample, head, query, rows[place(query, key)]]
            + of_key[sample, head, key, back[place(query, key)]]
        )

    def _heads(self, linear: nn.Module) -> Tensor:
        """[h, 2 span, d]"""
        return linear(self.table).unflatten(-1, (self.h, -1)).movedim(-2, -3)

    def _rows(self, distances: Tensor) -> tuple[Tensor, Tensor]:
        """For content-position and for position-content."""
        rows = self._row(distances)
        return rows, self._row(-distances) if self.dialect == "paper" else rows

    def _row(self, distances: Tensor) -> Tensor:
        return _delta(distances if self.ends is None else _bucket(distances, self.ends), self.span)


def _delta(distances: Tensor, span: int) -> Tensor:
    return (distances + span).clamp(0, 2 * span - 1)


def _bucket_ends(n_buckets: int, max_position: int, farthest: int) -> Int[Tensor, " ends"]:
    """The largest distance of each bucket 0, 1, 2, …, up to the bucket of the farthest one."""
    c = n_buckets // 2
    ends = list(range(c + 1))
    while ends[-1] < farthest:
        ends.append(min(_end(c, max_position - 1, len(ends) - c), farthest))
    return torch.tensor(ends, device="cpu")


def _end(c: int, last: int, t: int) -> int:
    """The largest integer x ≤ E_t = c (last/c)^(t/(c-1)). Where rounding could matter, integers decide:
    x^(c-1) cᵗ ≤ c^(c-1) lastᵗ says the same of them."""
    guess = c * exp(t / (c - 1) * log(last / c))
    x, margin = floor(guess), guess * 1e-12
    if margin < guess - x < 1 - margin:
        return x
    limit, factor = c ** (c - 1) * last**t, c**t
    x = x + 2 + ceil(margin)
    while x ** (c - 1) * factor > limit:
        x -= 1
    return x


def _bucket(distances: Tensor, ends: Tensor) -> Tensor:
    return distances.sign() * torch.bucketize(distances.abs(), ends)
