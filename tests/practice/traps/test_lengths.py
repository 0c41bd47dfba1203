"""Fine up to some length, or worse below it: each number of the page by another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from transformers import RobertaConfig
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from bookkit.configurations import LONG, SHORT
from tests.practice.traps.page import cosine_with_itself, freqs, given, off, pairs, says, turned
from tests.practice.traps.test_shapes import buckets

K = given()["k"][0]


def yarn(length):
    """By a loop over the pairs: 4 times the length, 32 turns and 1, the ends rounded outwards."""
    ends = [128 * math.log(length / (2 * math.pi * turns)) / (2 * math.log(10_000)) for turns in (32, 1)]
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    shares = [min(1, max(0, (i - low) / (high - low))) for i in range(64)]
    return np.array([f * (share / 4 + 1 - share) for f, share in zip(freqs(128), shares, strict=True)])


def llama3(theta, factor=8.0, length=8_192):
    """By wavelengths, as its authors write it."""
    scaled = []
    for f in theta:
        turns = length * f / (2 * math.pi)
        smooth = min(1, max(0, (turns - 1) / (4 - 1)))
        scaled.append((1 - smooth) * f / factor + smooth * f)
    return np.array(scaled)


def test_trained_length():
    says("trained-length", sum(2 * math.pi * 10_000 ** (i / 64) > 2_048 for i in range(64)))


def test_small_gates():
    says("small-gates", 2 + 100 / 100, 2 + 1_000 / 100)


def test_scaling_dropped():
    theta = freqs(128, 500_000.0)
    says("scaling-dropped", *(off(turned(K, m, theta), turned(K, m, llama3(theta))) for m in (100, 40_000)))


def test_new_length():
    """And the test that the page recommends finds it: a pair short of one turn is not divided by 4."""
    right, wrong = yarn(2_048), yarn(8_192)
    short = next(i for i in range(64) if 2 * math.pi / freqs(128)[i] > 2_048)
    assert right[short + 1] == pytest.approx(freqs(128)[short + 1] / 4)
    assert wrong[short + 1] > 1.1 * freqs(128)[short + 1] / 4
    says("new-length", (wrong > 1.000_001 * right).sum())


def test_override_base():
    says("override-base", (10_000.0 ** (-7 / 8) / 4) / 500_000.0 ** (-7 / 8))


def test_two_lengths():
    says("two-lengths", 4, 40_960 / 32_768)


def test_idle_option():
    says("idle-option", 1, 1 + math.log(4) / 10)


def test_factor_twice():
    says("factor-twice", 4_096 / 16, 4_096 / 4)


def test_ntk_shortcut():
    says("ntk-shortcut", 8 ** (62 / 64), 8)


def test_partial_exponent():
    part, whole = freqs(64), 10_000.0 ** -(2 * np.arange(32) / 256)
    says("partial-exponent", *(off(turned(K[:64], m, whole), turned(K[:64], m, part)) for m in (1, 10)))


def test_list_switch():
    theta = freqs(96)
    says("list-switch", cosine_with_itself(K[:96], 4_000 * theta * (1 / np.array(SHORT) - 1 / np.array(LONG))))


def test_short_list():
    says("short-list", math.cos(39 * 0.01 / 8), math.cos(39 * 0.01))


def test_longrope_factor():
    says("longrope-factor", *(math.sqrt(1 + math.log(s) / math.log(4_096)) for s in (4, 32)))


def test_padding_row():
    """Transformers' own: the last of 512 tokens reads the last of 514 rows."""
    sizes = {"hidden_size": 4, "num_attention_heads": 1, "vocab_size": 9, "max_position_embeddings": 514}
    embeddings = RobertaEmbeddings(RobertaConfig(**sizes))
    ids = embeddings.create_position_ids_from_input_ids(torch.full((1, 512), 5), padding_idx=1)
    assert ids.max().item() == 513
    says("padding-row", ids.min().item(), ids.shape[-1])


def test_window_one():
    query = 299
    says("window-one", *(sum(query - 128 + own <= key <= query for key in range(300)) for own in (1, 0)))


def test_t5_reach():
    right, wrong = (buckets(-np.arange(201), reach=reach, bidirectional=True) for reach in (128, 256))
    says("t5-reach", (right != wrong).sum(), np.nonzero(right != wrong)[0][0])


def test_kerple_range():
    """The first distance without a logarithm is 1/0.02."""
    says("kerple-range", sum(t / 50 < 1 for t in range(1_000)))


def test_static_scaling():
    squares = np.abs(pairs(K)) ** 2
    says("static-scaling", *((squares * np.cos(20 * freqs(128) / s)).sum() / 128 for s in (1, 4)))


def test_no_clip():
    says("no-clip", max(1, math.log(10) / math.log(4_096)), math.log(10) / math.log(4_096))


def test_two_temperatures():
    a, b = (1 + math.log(8) / 10) ** 2, 15 / 12  # 2 ** 15 tokens, 2 ** 12 trained
    says("two-temperatures", a, b, a * b)


def test_long_keys():
    """How many powers of 3 are below the largest float32, from the zeroth on."""
    largest = float(np.finfo(np.float32).max)
    says("long-keys", 1 - 1 * 2**2, sum(3**t <= largest for t in range(100)))


def test_lost_base():
    says("lost-base", *(cosine_with_itself(K, m * (freqs(128) - freqs(128, 500_000.0))) for m in (10, 1_000)))
