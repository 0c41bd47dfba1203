"""Numbers that once were wrong without a word, and calls that took all memory or never came back: one test each."""

from __future__ import annotations

import time

import pytest
import torch
from torch import nn

from posenc_lib import Slots, attention, attention_weights, causal_mask, padding_mask
from posenc_lib.absolute import Floater, complex_order, linear_recurrence, recurrence, shift_matrix, sinusoidal
from posenc_lib.extension import ScaledQueries, dynamic_ntk, interpolate, log_n, log_steps, ntk, random_positions
from posenc_lib.pairs import geometric_freqs, join_pairs, position_angles
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    ShawValues,
    T5Bias,
    TransformerXLBias,
    TupeBias,
    alibi_slopes,
    clipped,
    deberta_row,
    log_bucket,
    t5_edges,
    toeplitz_bias,
)
from posenc_lib.rotary import Rotary, apply_rotary, cos_sin, rotate
from posenc_lib.transformer import MultiHeadAttention
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("as_in_use")
N = torch.arange(4)
refused = pytest.raises


def test_values_that_are_integers():
    q = torch.zeros(3, 4)
    with refused(TypeError, match=r"^v must be floating point; got torch\.int64"):
        attention(q, q, torch.tensor([[10], [20], [30]]))


def test_a_step_in_a_narrow_integer():
    assert log_steps(torch.tensor([100], dtype=torch.uint8), 300, 1.0).tolist() == [1.0]
    assert log_steps(torch.tensor([100], dtype=torch.int8), 200, 1.0).tolist() == [1.0]


def test_rows_of_narrow_distances():
    assert clipped(torch.tensor([-100], dtype=torch.int8), 100, 100).tolist() == [200]
    assert deberta_row(torch.tensor([200], dtype=torch.uint8), 100).tolist() == [199]
    assert deberta_row(torch.tensor([-(2**15)], dtype=torch.int16), 100).tolist() == [0]
    for rows in (lambda d: clipped(d, 2, 2), lambda d: deberta_row(d, 2)):
        with refused(TypeError, match=r"^a distance is a number of tokens, so distances must be integers; got torch"):
            rows(torch.tensor([0.5]))


@pytest.mark.parametrize("matrix", [torch.diag(torch.tensor([2.0, 0.5])), torch.full((2, 2), float("nan"))])
def test_powers_of_a_matrix_that_overflow(matrix):
    with refused(ValueError, match=r"^a power of the matrix overflows, or the matrix is not finite; got "):
        linear_recurrence(matrix, torch.tensor([0.0, 1.0]), torch.tensor([3000, 1]))


def test_a_recurrence_of_integers_or_complex_numbers():
    with refused(TypeError, match=r"^start must be floating point; got torch\.int64"):
        linear_recurrence(torch.ones(1, 1) / 2, torch.tensor([1]), N)
    with refused(TypeError, match=r"^matrix must be floating point; got torch\.complex64"):
        linear_recurrence(torch.ones(1, 1) * 1j, torch.tensor([1.0]), N)


def test_a_step_in_place():
    start = torch.ones(1)
    assert recurrence(lambda p: p.mul_(2), start, 4).flatten().tolist() == [1, 2, 4, 8]
    assert start.item() == 1


@pytest.mark.parametrize("position", [2**53 + 1, -(2**41), float("nan"), float("inf")])
def test_positions_too_large_for_an_angle(position):
    m, one = torch.tensor([position]), torch.ones(2, dtype=torch.float64)
    q = torch.ones(1, 4)
    for encode in (
        lambda: sinusoidal(m, 4), lambda: complex_order(m, one, one), lambda: position_angles(m, one),
        lambda: Rotary(one)(q, q, m, m), lambda: log_n(m.abs(), 4),
    ):  # fmt: skip
        with refused(ValueError, match=r"^positions must be finite, and at most 2\*\*40 in size: .* got "):
            encode()


def test_a_shift_too_large_for_an_angle():
    with refused(ValueError, match=r"^k must be at most 2\*\*40 in size, .* got 9007199254740993"):
        shift_matrix(2**53 + 1, 4)
    with refused(ValueError, match="^k must be finite; got nan"):
        shift_matrix(float("nan"), 4)


@pytest.mark.parametrize("shift", [10**14, -(2**60)])
def test_transformer_xl_with_a_gap_far_from_zero(shift):
    module, q = filled(TransformerXLBias(2, 4, 8)), normal(2, 3, 4)
    positions = torch.tensor([0, 1, 5])
    torch.testing.assert_close(module(q, q, positions + shift, positions + shift), module(q, q, positions, positions))


def autocast(module, *arguments):
    plain = module(*arguments)
    with torch.autocast("cpu", torch.bfloat16):
        scores = module(*arguments)
    assert scores.dtype == torch.float32
    torch.testing.assert_close(scores, plain, rtol=0, atol=1e-5)


def test_autocast_keeps_the_precision_of_scores():
    q, w = 5 * normal(2, 4, 8).float(), normal(2, 4, 4).float().softmax(-1)
    autocast(attention_weights, q, q)
    for module in (ShawKeys(8, 2, 2), TransformerXLBias(2, 8, 8), DisentangledBias(16, 2, 4)):
        autocast(filled(module).float(), q, q, N, N)
    autocast(filled(ShawValues(8, 2, 2)).float(), w, N, N)
    autocast(filled(TupeBias(lambda m: sinusoidal(m, 8), 8, 2)).float(), N, N)


def test_scores_that_overflow():
    x = torch.full((2, 4), 1e20)
    with refused(ValueError, match=r"^the scores of 2 of 2 queries overflow to infinity, at .*\[0\], \[1\]\. Scale"):
        attention(x, x, x)


def test_frequencies_that_are_no_wide_floats():
    for dtype in (torch.int64, torch.bfloat16, torch.complex64):
        with refused(TypeError, match=rf"^freqs must be float32 or float64; got {dtype}"):
            position_angles(N, torch.tensor([1, 2]).to(dtype))
        with refused(TypeError, match=rf"^freqs must be float32 or float64; got {dtype}"):
            Rotary(torch.ones(4).to(dtype))
    positions, freqs = 2**24 + torch.arange(16), torch.tensor([0.3])  # positions that float32 merges
    rounded_once = (positions.double() * freqs.double()).float()
    assert position_angles(positions, freqs).flatten().equal(rounded_once)


@pytest.mark.parametrize("freqs", [torch.ones(3, 4), torch.ones(0), torch.ones(())])
def test_frequencies_of_another_shape(freqs):
    with refused(ValueError, match=r"^freqs must be \[d/2\], one per pair of features; got \["):
        Rotary(freqs)


def test_a_causal_mask_of_positions_that_merge():
    for dtype in (torch.bfloat16, torch.bool, torch.complex64):
        with refused(TypeError, match=r"^k_positions must be integers, or float32 or float64"):
            causal_mask(N, N.to(dtype))
    with refused(ValueError, match=r"^q_positions must be finite"):
        causal_mask(torch.tensor([float("nan")]), N)


def test_lengths_that_are_no_integers():
    for lengths in (torch.tensor([2.5]), torch.tensor([float("nan")]), torch.tensor([True])):
        with refused(TypeError, match="^lengths count keys, so lengths must be integers; got"):
            padding_mask(lengths, 4)
    with refused(ValueError, match=r"^lengths must be \[b\], one for each sequence; got \[2, 1\]"):
        padding_mask(torch.tensor([[1], [2]]), 4)


def test_factors_of_samples_beside_as_many_heads():
    scaled, q = ScaledQueries(lambda m: log_n(m, 4)), torch.ones(2, 2, 4, 8)
    with refused(ValueError, match=r"^the factor must be \[n\], or .* got \[2, 4\] for q \[2, 2, 4, 8\]"):
        scaled(q, q, torch.stack((N, N)), N)
    with refused(ValueError, match=r"^the factor must be \[n\], or .* got \[7\]"):
        scaled(q, q, torch.arange(7), N)
    with refused(TypeError, match=r"^q must be floating point; got torch\.int64"):
        scaled(q.long(), q, N, N)


@pytest.mark.parametrize("shape", [(5, 8), (2, 3, 1, 8), (8,)])
def test_multi_head_attention_of_another_shape(shape):
    x = torch.ones(shape)
    with refused(ValueError, match=r"^x and y must be \[b, n, d_model\], and must have 8 features; got x \["):
        MultiHeadAttention(8, 1)(x, x)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_pairs_without_a_second_feature(layout):
    with refused(ValueError, match=r"^each pair needs both features; got first \[3\] and second \[4\]"):
        join_pairs(torch.ones(3), torch.ones(4), layout)


def test_frequencies_in_integers_are_not_interpolated():
    for change in (lambda f: ntk(f, 4.0), lambda f: dynamic_ntk(f, 2.0, 20, 8), lambda f: interpolate(f, 4.0)):
        with refused(TypeError, match=r"^freqs must be float32 or float64; got torch\.int64"):
            change(torch.tensor([100, 10, 1]))


@pytest.mark.parametrize(
    ("make", "constant"),
    [
        (lambda: Rotary(geometric_freqs(8, device="cpu")), "freqs"),
        (lambda: Alibi(alibi_slopes(2, device="cpu")), "slopes"),
        (lambda: T5Bias(2), "edges"),
        (lambda: DisentangledBias(16, 2, 4, max_position=16), "ends"),
    ],
)
def test_constants_outlive_the_meta_device(make, constant):
    plain = make()
    for moved in (make().to("meta").to_empty(device="cpu"), make().half().double()):
        moved.load_state_dict(plain.state_dict())
        assert getattr(moved, constant).equal(getattr(plain, constant))
    with torch.device("meta"):
        made = make()
    made = made.to_empty(device="cpu")
    made.load_state_dict(plain.state_dict())
    assert getattr(made, constant).equal(getattr(plain, constant))


def test_constants_made_on_the_meta_device_have_no_values():
    module = nn.Sequential(Rotary(geometric_freqs(8, device="meta")))
    with refused(ValueError, match=r"^freqs was made on the meta device, so it has no values to move to cpu"):
        module.to_empty(device="cpu")


def test_keys_in_another_dtype_than_queries():
    q, k = normal(3, 8), normal(3, 8, seed=1)
    torch.testing.assert_close(attention_weights(q.float(), k), (q.float().double() @ k.T / 8**0.5).softmax(-1))
    with refused(TypeError, match=r"^k must be floating point; got torch\.complex64"):
        attention_weights(q, k.to(torch.complex64))


def test_a_mask_of_samples_beside_as_many_heads():
    q, positions = torch.ones(2, 2, 4, 8), torch.stack((N, N))
    with refused(
        ValueError, match=r"^mask must be \[n_q, n_k\], or have an axis for each of the scores', .* mask \[2, 4"
    ):
        attention(q, q, q, mask=causal_mask(positions, positions))


def test_numbers_beyond_reason():
    with refused(ValueError, match=r"^positions must be below 2\*\*62 in size, or differences overflow; got -92"):
        toeplitz_bias(lambda d: -d.abs()[None].float(), N, torch.tensor([-(2**63)]))
    with refused(ValueError, match=r"^base must not be so small that 1/base overflows; got 5e-324"):
        geometric_freqs(1000, 5e-324)
    with refused(ValueError, match=r"^the factor is so small that a frequency overflows; got 1e-320"):
        interpolate(geometric_freqs(8), 1e-320)


# --- memory and time


@pytest.mark.parametrize("module", [T5Bias(2), TransformerXLBias(2, 8, 8), DisentangledBias(16, 2, 4)])
def test_a_score_mod_over_a_wide_gap(module):
    far = torch.tensor([0, 3_000_000_000])
    q = (torch.ones(1, 2, 2, 8),) * 2 if hasattr(module, "w_r") or hasattr(module, "dialect") else ()
    with refused(
        ValueError,
        match=r"^a number is held for every distance from -3000000000 to 3000000000, .* 16777216; got 6000000001",
    ):
        module.score_mod(*q, far, far)


def test_floater_far_away():
    flow = Floater(lambda p, t: torch.stack((p[1], -p[0])), torch.tensor([0.0, 1.0]))
    with refused(
        ValueError, match=r"^the solver needs more than 5000 steps between two positions, on the way to 1e\+09"
    ):
        flow(torch.tensor([1e9]))


def test_random_positions_of_a_text_without_end():
    with refused(
        ValueError, match=r"^all of max_position are shuffled, so it must be at most 2\*\*24; got 100000000000"
    ):
        random_positions(5, 10**11)


def test_buckets_without_end():
    with refused(ValueError, match=r"^n_buckets must be at most 1024: .* got 20000"):
        t5_edges(20_000, 10**7)
    with refused(ValueError, match=r"^distances must be at most 2\*\*40 in size; got 9007199254740992"):
        log_bucket(torch.tensor([2**53]), 256, 512)
    begin = time.process_time()
    log_bucket(torch.tensor([2**40]), 256, 512)
    t5_edges(1024, 2**40)
    assert time.process_time() - begin < 3


# --- torch.func, vmap, export


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_apply_rotary_under_func(layout):
    x, angles = normal(2, 4, 8), position_angles(N, geometric_freqs(8))
    table = cos_sin(angles, torch.float64)

    def applied(x):
        return apply_rotary(x, table, layout=layout)

    def rotated(x):
        return rotate(x, angles, layout=layout)

    for of in (lambda f: torch.func.grad(lambda x: f(x).square().sum())(x), lambda f: torch.vmap(f)(x),
               lambda f: torch.func.jvp(f, (x,), (x,))[1], lambda f: torch.func.jacrev(f)(x[0]),
               lambda f: torch.func.jacfwd(f)(x[0])):  # fmt: skip
        torch.testing.assert_close(of(applied), of(rotated))


@pytest.mark.filterwarnings("ignore")
def test_attention_is_exported_and_keeps_its_checks():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = MultiHeadAttention(8, 2, slots=Slots(transform=Rotary(geometric_freqs(4)), bias=T5Bias(2)))

        def forward(self, x, mask):
            return self.layer(x, x, mask=mask)

    x, mask, model = normal(2, 4, 8).float(), causal_mask(N, N), Model()
    exported = torch.export.export(model, (x, mask), strict=False).module()
    torch.testing.assert_close(exported(x, mask), model(x, mask))
    with refused(RuntimeError, match="mask and bias leave a query no key to attend to"):
        exported(x, mask & False)
