"""What the border of the library says, and where it can say it."""
# ruff: noqa: E501 (a case is a line)

import numpy as np
import pytest
import torch

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.absolute import Floater, Learned, linear_recurrence, recurrence, resample_grid
from posenc_lib.border.precision import register_exact
from posenc_lib.border import counted, places, whole
from posenc_lib.border.values import require_values
from posenc_lib.pairs import geometric_freqs, half_from_interleaved
from posenc_lib.relative import Alibi, DisentangledBias, ShawKeys, TransformerXLBias, TupeBias, window_index
from posenc_lib.rotary import apply_rotary, cos_sin, rotate
from posenc_lib.transformer import AddNorm, Cache, Encoder, EncoderLayer, TokenEmbedding, Transformer, greedy_decode

pytestmark = pytest.mark.usefixtures("as_in_use")
N, ONES = torch.arange(4), torch.ones(2, 4, 8)

REFUSED = {
    "a fraction for a count": (lambda: half_from_interleaved(8.0), TypeError, r"^d must be an integer; got 8\.0$"),
    "true for a count": (lambda: half_from_interleaved(True), TypeError, r"^d must be an integer; got True$"),
    "too small": (lambda: whole(1)("heads", 0), ValueError, r"^heads must be at least 1; got 0$"),
    "a word for a number": (lambda: geometric_freqs(8, "3"), TypeError, r"^base must be a number; got '3'$"),
    "an array": (lambda: Learned(ONES[0])(np.arange(2)), TypeError, r"^positions must be a tensor; got ndarray \[2\]\. "),
    "no axis": (lambda: apply_rotary(torch.tensor(1.0), ONES), ValueError, r"^x must have 1 axes at least; got \[\]$"),
    "a dtype": (lambda: geometric_freqs(8, dtype=torch.int64), TypeError, r"^dtype must be a floating-point dtype; "),
    "a coarse dtype": (lambda: cos_sin(ONES, torch.bfloat16), TypeError, r"^dtype must be float32 or float64; got torch.bfloat16: "),
    "angles that are nan": (lambda: rotate(ONES, ONES[..., 4:] * np.nan), ValueError, r"^angles must be finite; got nan$"),
    "a table of 3 rows": (lambda: apply_rotary(ONES, ONES[[0, 0, 1]]), ValueError, r"^cos_sin must be \[2, \*positions"),
    "no function": (lambda: recurrence(None, ONES[0, 0], 2), TypeError, r"^step must be a function or .*; got None$"),
    "no slots": (lambda: attention(ONES, ONES, ONES, Alibi), TypeError, r"^slots must be one value, .*; got type$"),
    "a scale that is nan": (lambda: Slots(scale=np.nan), ValueError, r"^scale must be finite; got nan$"),
    "a transform of one": (
        lambda: attention(ONES, ONES, ONES, Slots(transform=lambda q, k, m, n: q)), TypeError,
        r"^a transform must give a pair, \(q, k\); got Tensor$",
    ),
    "a transform that cuts": (
        lambda: attention(ONES, ONES, ONES, Slots(transform=lambda q, k, m, n: (q[:1], k))), ValueError,
        r"^a transform must keep the heads and lengths of q and k; got q \[1, 4, 8\], k \[2, 4, 8\] for q ",
    ),
    "a value bias that cuts": (
        lambda: attention(ONES, ONES, ONES, Slots(value_bias=lambda w, m, n: w)), ValueError,
        r"^value_bias must give the shape of the output; value_bias \[2, 4, 4\], output \[2, 4, 8\]$",
    ),
    "ranks of a causal mask": (
        lambda: causal_mask(N[None], N[None, None]), ValueError, r"^positions must be \[n\], or have as many axes"
    ),
    "one side": (lambda: window_index((3,)), TypeError, r"^window must be two integers, .*; got \(3,\)$"),
    "half a cell": (lambda: window_index((1.5, 4)), TypeError, r"^the height of a window must be an integer; got 1\.5$"),
    "three sides": (
        lambda: resample_grid(ONES[0], (1, 2, 2), (1, 4)), TypeError, r"^old_grid must be two integers, .*; got \(1, 2, 2\)$"
    ),
    "an odd span": (
        lambda: DisentangledBias(4, 1, 3, max_position=16), ValueError, r"^span must be even and at least 4; got 3$"
    ),
    "positions for other keys": (
        lambda: ShawKeys(8, 1, 1)(ONES, ONES, N, torch.arange(9)), ValueError,
        r"^there must be one position for each of the 4 tokens in k \[2, 4, 8\]; got positions \[9\]$",
    ),
    "positions of other samples": (
        lambda: Alibi(torch.ones(1))(N.expand(2, 1, 4), N.expand(3, 1, 4)), ValueError,
        r"^q_positions \[2, 1, 4\] are for 2 samples and k_positions \[3, 1, 4\] for 3: ",
    ),
    "q of a score_mod": (
        lambda: TransformerXLBias(2, 8, 8).score_mod(ONES, ONES, N, N), ValueError,
        r"^flex_attention takes q and k as \[b, h, n, d\]; got \[2, 4, 8\]$",
    ),
    "slopes of a table": (lambda: Alibi(ONES), ValueError, r"^slopes must be \[h\], one per head; got \[2, 4, 8\]$"),
    "embed of another width": (
        lambda: TupeBias(lambda m: ONES[0], 4, 2)(N, N), ValueError, r"^embed must give d_model = 4 features .* \[4, 8\]$"
    ),
    "an update that broadcasts": (
        lambda: AddNorm(8, 0.0)(ONES, ONES[:1]), ValueError, r"^x and its update must be \[\.\.\., 8\], both alike; got "
    ),
    "a token outside": (
        lambda: TokenEmbedding(5, 8)(torch.tensor([[5]])), ValueError, r"^the table has tokens 0 … 4; got 5$"
    ),
    "tokens of one text": (lambda: TokenEmbedding(5, 8)(N), ValueError, r"^tokens must be \[b, n\]; got \[4\]$"),
    "a position of another shape": (
        lambda: TokenEmbedding(5, 8, position=lambda m: ONES[0, :1])(N[None]), ValueError,
        r"^position must give a vector for each token, \[4, 8\] or \[1, 4, 8\]; got \[1, 8\]$",
    ),
    "no layers": (lambda: Encoder([]), ValueError, r"^a stack needs one layer at least, and layers only; got \[\]$"),
    "one layer": (lambda: Encoder(EncoderLayer(8, 2, 4)), TypeError, r"^layers must be several, .*; got EncoderLayer$"),
    "no cache": (
        lambda: Encoder([EncoderLayer(8, 2, 4)])(ONES, caches=[]), ValueError, r"^each of the 1 layers needs a cache .* 0$"
    ),
    "no model": (lambda: greedy_decode(None, N, 0, 1), TypeError, r"^model must be a Transformer; got NoneType$"),
    "half a start": (
        lambda: greedy_decode(Transformer(5, 5, d_model=4, h=1, d_ff=4, n_layers=1), N[None], 2.5, 1), TypeError,
        r"^start must be an integer; got 2\.5$",
    ),
    "a cache with other positions": (
        lambda: Cache().extend(ONES, ONES, N[:1]), ValueError, r"^each new token needs a key, a value and a position; got k"
    ),
    "tolerance": (
        lambda: Floater(lambda p, t: p, torch.ones(2), tolerance=np.inf), ValueError, r"^tolerance must be positive; got inf$"
    ),
    "steps on meta": (
        lambda: linear_recurrence(torch.ones(1, 1), torch.ones(1), N.to("meta")), ValueError,
        r"^the values of positions decide what is computed here, and there are none to read on the meta device or under",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("as_in_use")
def test_refused(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


def test_a_cache_of_other_heads_or_positions():
    cache = Cache()
    cache.extend(ONES, ONES, N)
    with pytest.raises(ValueError, match=r"^the cache holds k \[2, 4, 8\], to which \[1, 4, 8\] cannot be appended$"):
        cache.extend(ONES[:1], ONES[:1], N)
    with pytest.raises(ValueError, match=r"^the cache holds positions \[4\], to which \[1, 4\] cannot be appended$"):
        cache.extend(ONES, ONES, N[None])


def test_values_are_not_asked_for_where_there_are_none():
    places("positions", torch.full((3,), 2**60, device="meta"))
    torch.vmap(lambda m: (places("positions", m), m)[1])(torch.full((3, 1), 2**60))


def test_values_are_read_through_a_gradient():
    with pytest.raises(ValueError, match="too small"):
        torch.func.grad(lambda x: (require_values(x > 1, "", lambda bad: "too small"), x)[1])(torch.tensor(0.0))


def test_integers_do_not_wrap():
    assert counted("")("x", torch.tensor([200], dtype=torch.uint8)).dtype == torch.int64
    with pytest.raises(ValueError, match=r"must be below 2\*\*62 in size"):
        counted("")("x", torch.tensor([2**63], dtype=torch.uint64))


def test_an_exact_constant_is_neither_cast_nor_saved():
    module = torch.nn.Module()
    register_exact(module, "third", torch.tensor([1 / 3], dtype=torch.float64))
    assert module.half()._third.value.item() == 1 / 3
    assert not module.state_dict()
    assert module.to("meta").to_empty(device="cpu")._third.value.item() == 1 / 3
