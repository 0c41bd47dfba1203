"""NTK and dynamic NTK: against the base they stand for, transformers, rotary-embedding-torch and printed lists."""

import json
from itertools import product
from pathlib import Path

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posenc_lib.extension import dynamic_ntk, interpolate, ntk
from posenc_lib.pairs import geometric_freqs

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "dynamic_ntk_transformers.json").read_text())["cases"]
CASES = [*product((4, 64, 128), (10_000.0, 500_000.0), (0.5, 1.0, 2.5, 32.0))]


def close(a, b, rtol=1e-13, where=""):
    torch.testing.assert_close(a, b, rtol=rtol, atol=0, msg=lambda text: f"{where}: {text}")


def test_is_a_larger_base():
    for d, base, s in CASES:
        larger = geometric_freqs(d, base * s ** (d / (d - 2)))
        close(ntk(geometric_freqs(d, base), s), larger, where=f"d = {d}, base {base}, s = {s}")


def test_spares_the_first_frequency_and_interpolates_the_last():
    for d, base, s in CASES:
        freqs = geometric_freqs(d, base)
        assert ntk(freqs, s)[0] == freqs[0]
        close(ntk(freqs, s)[-1], interpolate(freqs, s)[-1], where=f"d = {d}, base {base}, s = {s}")


def test_equals_rotary_embedding_torch():
    for d, s in product((4, 64), (1.0, 2.0, 7.5)):
        theirs = RotaryEmbedding(dim=d, theta_rescale_factor=s).freqs.detach()
        close(ntk(geometric_freqs(d), s).float(), theirs, rtol=1e-6, where=f"d = {d}, s = {s}")


def test_dynamic_equals_transformers():
    lengths = (1, 2_048, 2_049, 5_000, 65_536)
    for d, base, factor, n in product((4, 64, 128), (10_000.0, 500_000.0), (1.0, 2.0, 8.0), lengths):
        rope = {"rope_type": "dynamic", "rope_theta": base, "factor": factor}
        config = LlamaConfig(
            head_dim=d, hidden_size=d, num_attention_heads=1, max_position_embeddings=2_048, rope_parameters=rope
        )
        theirs, _ = ROPE_INIT_FUNCTIONS["dynamic"](config, device="cpu", seq_len=n)
        ours = dynamic_ntk(geometric_freqs(d, base), factor, n, 2_048).float()
        close(ours, theirs, rtol=2e-6, where=f"d = {d}, base {base}, factor {factor}, n = {n}")


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: f"d{case['d']}")
def test_dynamic_equals_the_printed_lists(case):
    freqs = dynamic_ntk(geometric_freqs(case["d"], case["base"]), case["factor"], case["n"], case["trained_length"])
    close(freqs, torch.tensor(case["freqs"], dtype=torch.float64), rtol=5e-5)


def test_dynamic_changes_nothing_within_the_trained_length():
    freqs = geometric_freqs(64)
    for n in (1, 2_047, 2_048):
        assert torch.equal(dynamic_ntk(freqs, 8.0, n, 2_048), freqs), n


def test_dynamic_takes_the_shortest_lengths():
    freqs = geometric_freqs(8)
    assert torch.equal(dynamic_ntk(freqs, 2.0, 1, 1), freqs)
    close(dynamic_ntk(freqs, 2.0, 2, 1), ntk(freqs, 3.0))


def test_dynamic_factor_is_reached_at_that_many_lengths_less_what_it_saves():
    freqs = geometric_freqs(64)
    close(dynamic_ntk(freqs, 4.0, 3 * 2_048, 2_048), ntk(freqs, 9.0))


def test_dtype_device_and_gradient_are_those_of_the_frequencies():
    freqs = geometric_freqs(8, dtype=torch.float32).requires_grad_()
    with torch.device("meta"):
        scaled = ntk(freqs, 8.0)
    assert scaled.dtype == torch.float32
    close(torch.autograd.grad(scaled.sum(), freqs)[0], torch.tensor([1, 0.5, 0.25, 0.125]), rtol=1e-6)
