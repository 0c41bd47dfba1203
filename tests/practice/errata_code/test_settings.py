"""The entries on settings: what the cells print, by the recorded values of the programs themselves."""

from __future__ import annotations

import math

import pytest

from tests.practice.errata_code.test_peers import printed
from tests.practice.settings.test_spell import ORACLE, record


def test_a_ramp_at_the_length_of_the_cache():
    """The start of the ramp, and the next pair is the first that is divided; exllamav2's own ramp is that of 4,096."""
    starts = [128 * math.log(n / (2 * math.pi * 32)) / (2 * math.log(1e6)) for n in (32_768, 131_072)]
    assert printed("A ramp") == [str(math.floor(x) + 1) for x in starts]
    theirs, plain = record("its ramp is at max_seq_len", "exllamav2")["freqs"], record("merged", "sglang")["freqs"]
    assert theirs[1] == pytest.approx(500_000.0 ** (-1 / 8))
    assert plain[1] < 0.9 * theirs[1]


def test_an_attention_factor_that_is_overwritten():
    assert printed("An attention factor that") == ["1.0000", f"{1 + math.log(4) / 10:.4f}"]
    used = [x["factor"] for x in ORACLE["silent"] if x["what"] == "--yarn-attn-factor" and "ext" not in x["given"]]
    assert used == pytest.approx([1 + math.log(4) / 10])


def test_a_dynamic_factor_that_stays_1():
    assert printed("A dynamic") == ["13.0", "1.0", "-1.0"]
    unscaled = [500_000.0 ** (-i / 8) for i in range(8)]
    assert record("dynamic changes nothing", "vllm")["freqs"] == pytest.approx(unscaled, rel=3e-5, abs=6e-8)
    assert min(record("a negative base", "vllm")["freqs"]) < 0


def test_two_settings_that_no_line_reads():
    assert printed("Two settings") == ["4", "1"]
    assert "no file under backends/ reads them" in ORACLE["source"]["tabbyapi"]
