"""A decoder in the form of released language models: what Llama, Mistral, SmolLM and Qwen2 have in common.

Shapes: b texts of n tokens, each a vector of d_model features; h heads of queries and kv_heads of keys and values, of
d_head features each. No layer knows about positions: they come in through `Slots`, as everywhere here.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int, Real
from torch import Tensor, nn
from torch.nn.functional import silu

from posenc_lib._attention import attention
from posenc_lib.border import being, border, counted, positive, shaped, together, whole, within
from posenc_lib.slots import Slots, one_value
from posenc_lib.transformer.fused import fused_causal, no_later, reads_no_scores
from posenc_lib.transformer.layers import TABLED, WEIGHED, Cache, a_cache, grouped

Ids = Int[Tensor, "b n"]

_TEXTS = shaped(counted("tokens are numbered"), lambda s: len(s) == 2 and s[1] > 0, "[b, n]: one text is tokens[None]")


def _each_is(kind: type, x: object) -> bool:
    return isinstance(x, Sequence) and all(isinstance(each, kind) for each in x)


_SLOTS = being(lambda x: isinstance(x, Slots) or _each_is(Slots, x), "Slots(...), or a list with one for each layer")
_CACHES = being(lambda x: _each_is(Cache, x), "a list with a Cache() for each layer")
_ONE_FOR_EACH = together(
    lambda layers, given: not isinstance(given, Sequence) or len(given) == len(layers),
    lambda layers, given: f"each of the {len(layers)} layers needs one of its own; got {len(given)}",
)
_WIDTH = together(
    lambda d_model, h, d_head: d_head is not None or d_model % h == 0,
    "h must divide d_model where d_head does not say how wide a head is; got d_model = {d_model}, h = {h}",
)


class LlamaLayer(nn.Module):
    r"""Attention, then a gated feed-forward map, each on a normed copy of x and added to x.

    $$x \leftarrow x + W_o\,\text{attention}(\text{norm}(x)), \qquad
      x \leftarrow x + W_\text{down}\big(\text{silu}(W_\text{gate}\,y) \odot W_\text{up}\,y\big)$$

    with y = norm(x) in the second. norm is RMSNorm: x over its root mean square, times a weight. Only the maps to q, k
    and v may have a bias. Unless a mask is given, each token sees itself and what came before it; then slots that only
    change q and k run in torch's own kernel.

    Refused: kv_heads that do not divide h, and an h that does not divide d_model where no d_head is given.
    """

    @border(_WIDTH, grouped, d_model=whole(1), h=whole(1), kv_heads=whole(1), d_head=whole(1), eps=positive)
    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        *,
        kv_heads: int | None = None,
        d_head: int | None = None,
        eps: float = 1e-5,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.d_head, kv_heads = d_model // h if d_head is None else d_head, h if kv_heads is None else kv_heads
        to = lambda n, bias=qkv_bias, width=d_model: nn.Linear(width, n, bias=bias)  # noqa: E731
        self.to_q, self.to_k, self.to_v = (to(heads * self.d_head) for heads in (h, kv_heads, kv_heads))
        self.to_out = to(d_model, False, h * self.d_head)
        self.gate, self.up, self.down = to(d_ff, False), to(d_ff, False), to(d_model, False, d_ff)
        self.norm_attention, self.norm_feed_forward = (nn.RMSNorm(d_model, eps) for _ in range(2))

    @border(WEIGHED.of("x", "self.to_q.weight"), slots=one_value, cache=a_cache)
    def forward(
        self,
        x: Float[Tensor, "b n d_model"],
        slots: Slots,
        positions: Real[Tensor, "*p_batch n"],
        *,
        mask: Bool[Tensor, "*#batch #n #n_k"] | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "b n d_model"]:
        q, k, v = self.qkv(x)
        k, v, k_positions = (k, v, positions) if cache is None else cache.extend(k, v, positions)
        if mask is None and reads_no_scores(slots):
            heads = fused_causal(q, k, v, slots, positions, k_positions)
        else:
            mask = no_later(q.shape[-2], k.shape[-2], x.device) if mask is None else mask
            heads = attention(q, k, v, slots, q_positions=positions, k_positions=k_positions, mask=mask)
        x = x + self.to_out(heads.transpose(1, 2).flatten(2))
        return x + self.fed_forward(x)

    def qkv(self, x: Float[Tensor, "*b n d_model"]) -> list[Float[Tensor, "*b _ n {self.d_head}"]]:
        """Queries, keys and values, as they are before any slot."""
        y = self.norm_attention(x)
        return [to(y).unflatten(-1, (-1, self.d_head)).transpose(-3, -2) for to in (self.to_q, self.to_k, self.to_v)]

    def fed_forward(self, x: Float[Tensor, "*b n d_model"]) -> Float[Tensor, "*b n d_model"]:
        """What the second half adds to x."""
        y = self.norm_feed_forward(x)
        return self.down(silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    r"""A language model of released form: embedding, layers, norm, and for each token the scores of what follows it.

    `slots` say what positions do: `Slots(transform=Rotary(freqs))` for a released model. Given to the model, they are
    for every call; given to a call, for that one; a list has one for each layer. So a trained model runs with any
    method by one argument. Positions are 0 … n-1 unless given, in a call with caches those after the last one held.

    The mask is made from the order of the tokens and not from their positions, so positions may be anything. Given a
    `Cache()` for each layer, the tokens are what follows those in the caches. A cache keeps keys as they were before
    the slots: a method whose frequencies change turns all of them anew. Scores come from the embedding's own matrix
    until `to_scores.weight` is replaced.

    Refused: tokens outside the table, lists that do not have one entry for each layer, and what `LlamaLayer` refuses.

    Source: Touvron et al. 2023 (arXiv:2302.13971), section 2.2; grouped heads: Ainslie et al. 2023 (arXiv:2305.13245);
    tied embeddings and biases as in SmolLM2 (Ben Allal et al. 2025, arXiv:2502.02737) and Qwen2 (arXiv:2407.10671).

    >>> from posenc_lib import Rotary, geometric_freqs
    >>> rotated = Slots(transform=Rotary(geometric_freqs(4)))
    >>> model = Llama(50, d_model=16, h=4, d_ff=32, n_layers=2, kv_heads=2, slots=rotated)
    >>> model(torch.tensor([[3, 1, 4]])).shape
    torch.Size([1, 3, 50])
    >>> unrotated = model(torch.tensor([[3, 1, 4]]), slots=Slots())
    """

    @border(n_tokens=whole(1), n_layers=whole(1, 1_024, beyond="each layer is built anew"), slots=one_value)
    def __init__(
        self,
        n_tokens: int,
        *,
        d_model: int,
        h: int,
        d_ff: int,
        n_layers: int,
        kv_heads: int | None = None,
        d_head: int | None = None,
        eps: float = 1e-5,
        qkv_bias: bool = False,
        slots: Slots | None = None,
    ) -> None:
        super().__init__()
        given = {"kv_heads": kv_heads, "d_head": d_head, "eps": eps, "qkv_bias": qkv_bias}
        self.embed, self.norm = nn.Embedding(n_tokens, d_model), nn.RMSNorm(d_model, eps)
        self.layers = nn.ModuleList(LlamaLayer(d_model, h, d_ff, **given) for _ in range(n_layers))
        self.to_scores = nn.Linear(d_model, n_tokens, bias=False)
        self.to_scores.weight = self.embed.weight
        self.slots = Slots() if slots is None else slots

    @border(
        TABLED.of("tokens", "self.embed.weight"),
        _ONE_FOR_EACH.of("self.layers", "slots"),
        _ONE_FOR_EACH.of("self.layers", "caches"),
        tokens=_TEXTS,
        slots=_SLOTS,
        caches=_CACHES,
    )
    def forward(
        self,
        tokens: Ids,
        *,
        slots: Slots | Sequence[Slots] | None = None,
        positions: Real[Tensor, "*p_batch n"] | None = None,
        mask: Bool[Tensor, "*#batch #n #n_k"] | None = None,
        caches: Sequence[Cache] | None = None,
    ) -> Float[Tensor, "b n n_tokens"]:
        slots, caches = self.slots if slots is None else slots, caches or [None] * len(self.layers)
        each = [slots] * len(self.layers) if isinstance(slots, Slots) else slots
        positions = _next_positions(tokens, caches[0]) if positions is None else positions
        x = self.embed(within(self.embed.num_embeddings)("tokens", tokens))
        for layer, own, cache in zip(self.layers, each, caches, strict=True):
            x = layer(x, own, positions, mask=mask, cache=cache)
        return self.to_scores(self.norm(x))


@torch.no_grad()
@border(tokens=_TEXTS, steps=whole(0, 2**16, beyond="each attends to all before it"), slots=_SLOTS)
def continued(
    model: Llama, tokens: Ids, steps: int, *, slots: Slots | Sequence[Slots] | None = None
) -> Int[Tensor, "b {steps}"]:
    """The most probable next token, `steps` times over, each fed back as input; what was given is left out.

    Keys and values are kept in caches, so each step computes those of one token.
    """
    caches, written = [Cache() for _ in model.layers], [tokens]
    for _ in range(steps):
        written.append(model(written[-1], slots=slots, caches=caches)[:, -1:].argmax(-1))
    return torch.cat(written, 1)[:, tokens.shape[1] :]


def _next_positions(tokens: Ids, cache: Cache | None) -> Real[Tensor, "*p_batch n"]:
    counted = torch.arange(tokens.shape[1], device=tokens.device)
    return counted if cache is None or cache.positions is None else counted + cache.positions[..., -1:] + 1
