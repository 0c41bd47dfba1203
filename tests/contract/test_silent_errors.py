"""Numbers that once were wrong without a word, and calls that took all memory or never came back: one test each."""

from __future__ import annotations

import time

import pytest
import torch
from torch import nn

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.absolute import recurrence
from posenc_lib.extension import log_steps
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    T5Bias,
    TransformerXLBias,
    alibi_slopes,
    clipped,
    deberta_row,
    log_bucket,
    t5_edges,
)
from posenc_lib.rotary import Rotary, apply_rotary, cos_sin, rotate
from posenc_lib.transformer import MultiHeadAttention
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("as_in_use")
N = torch.arange(4)
refused = pytest.raises


def test_a_step_in_a_narrow_integer():
    assert log_steps(torch.tensor([100], dtype=torch.uint8), 300, 1.0).tolist() == [1.0]
    assert log_steps(torch.tensor([100], dtype=torch.int8), 200, 1.0).tolist() == [1.0]


def test_rows_of_narrow_distances():
    assert clipped(torch.tensor([-100], dtype=torch.int8), 100, 100).tolist() == [200]
    assert deberta_row(torch.tensor([200], dtype=torch.uint8), 100).tolist() == [199]
    assert deberta_row(torch.tensor([-(2**15)], dtype=torch.int16), 100).tolist() == [0]


def test_a_step_in_place():
    start = torch.ones(1)
    assert recurrence(lambda p: p.mul_(2), start, 4).flatten().tolist() == [1, 2, 4, 8]
    assert start.item() == 1


@pytest.mark.parametrize("shift", [10**14, -(2**60)])
def test_transformer_xl_with_a_gap_far_from_zero(shift):
    module, q = filled(TransformerXLBias(2, 4, 8)), normal(2, 3, 4)
    positions = torch.tensor([0, 1, 5])
    torch.testing.assert_close(module(q, q, positions + shift, positions + shift), module(q, q, positions, positions))


def test_angles_at_positions_that_float32_merges():
    positions, freqs = 2**24 - torch.arange(16), torch.tensor([0.3])
    rounded_once = (positions.double() * freqs.double()).float()
    assert position_angles(positions, freqs).flatten().equal(rounded_once)
    message = r"^positions must be at most 2\*\*24 in size for frequencies in float32, which merges far"
    with refused(ValueError, match=message):
        position_angles(positions + 16, freqs)


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


def test_keys_in_another_dtype_than_queries():
    q, k = normal(3, 8), normal(3, 8, seed=1)
    torch.testing.assert_close(attention_weights(q.float(), k), (q.float().double() @ k.T / 8**0.5).softmax(-1))


# --- memory and time


FAR, Q = torch.tensor([0, 3_000_000_000]), torch.ones(1, 2, 2, 8)
TABLES = {
    "T5Bias": lambda: T5Bias(2).score_mod(FAR, FAR),
    "TransformerXLBias": lambda: TransformerXLBias(2, 8, 8).score_mod(Q, Q, FAR, FAR),
    "DisentangledBias": lambda: DisentangledBias(16, 2, 4).score_mod(Q, Q, FAR, FAR),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_score_mod_over_a_wide_gap(name):
    message = r"^a number is held for every distance from -3000000000 to 3000000000, .* 16777216; got 6000000001"
    with refused(ValueError, match=message):
        TABLES[name]()


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
