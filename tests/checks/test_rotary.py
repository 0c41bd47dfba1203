"""How a rotation is called and read, and what is said of what cannot be read."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
import torch
from torch import nn

from posenc_checks import check_rotary
from posenc_checks.calling.find import find_rotation
from posenc_checks.reading.frequencies import describe
from posenc_checks.reading.near_and_far import turns_alike
from posenc_checks.reading.probe import read_matrices
from posenc_checks.rules.scaling import difference
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import PartialRotary, Rotary, rotate
from tests.corpus.checks.planted.pieces import (
    FREQS,
    D,
    angles,
    cat,
    half,
    neighbours,
    partial,
    repeat,
    rope,
    turn,
    with_freqs,
)
from tests.corpus.checks.planted.ramps import yarn
from tests.corpus.checks.planted.settings import rows_from_1


def complex_rope(x, freqs_cis):
    z = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(z * freqs_cis[:, None]).flatten(-2)


def stacked_rope(x, freqs_cis):  # [n, d/2, 2]
    a, b, c, s = x[..., 0::2], x[..., 1::2], freqs_cis[..., 0], freqs_cis[..., 1]
    return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)


def sequence_first(query, key, value):
    at = angles(torch.arange(query.shape[1]))[:, None]
    return turn(query, at), turn(key, at), value


@pytest.mark.parametrize(
    ("function", "call", "layout"),
    [
        (lambda x, positions: rope(x, positions), "(x, positions)", "half"),
        (lambda q, k, cos, sin: (q * cos + half(q) * sin, k * cos + half(k) * sin), "doubled by cat", "half"),
        (lambda x, sin, cos: x * cos + neighbours(x) * sin, "doubled by repeat", "interleaved"),
        (complex_rope, "(x, cis)", "interleaved"),
        (stacked_rope, "cosine and sine stacked", "interleaved"),
        (lambda x, freqs: turn(x, freqs, neighbours, repeat), "(x, angles)", "interleaved"),
        (sequence_first, "[b, n, h, d]", "half"),
    ],
)  # fmt: skip
def test_the_way_to_call_is_found_out(function, call, layout):
    report = check_rotary(function)
    assert report.ok, report.text()
    assert call in report.facts["call"]
    assert report.facts["layout"] == layout


def test_the_sense_is_known_where_the_checker_makes_the_table():
    backwards = lambda x, cos, sin: x * cat(cos) - half(x) * cat(sin)  # noqa: E731
    assert check_rotary(backwards).facts["sense"] == "clockwise"
    assert check_rotary(backwards, sense="counterclockwise").faults == ["sense"]


def test_arguments_by_name():
    def rope(x, *, input_pos=None):
        return turn(x, angles(torch.arange(x.shape[-2]) if input_pos is None else input_pos))

    report = check_rotary(rope, base=1e4)
    assert report.ok
    assert report.facts["positions"] == "each sample may have its own"


def test_numpy():
    def rope(x, positions):
        assert isinstance(x, np.ndarray)
        at = positions[:, None] * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
        a, b = np.split(x, 2, -1)
        return np.concatenate((a * np.cos(at) - b * np.sin(at), a * np.sin(at) + b * np.cos(at)), -1).astype(x.dtype)

    report = check_rotary(rope, base=1e4, layout="half")
    assert report.ok, report.text()


def test_a_matrix_is_read_column_by_column():
    rotation = find_rotation(with_freqs(geometric_freqs(4)), turns_alike, d=4)
    matrix = read_matrices(rotation, torch.tensor([0, 3]))[0][1]
    c, s = math.cos(3), math.sin(3)
    assert matrix[0].tolist() == pytest.approx([c, 0, -s, 0], abs=1e-6)
    assert matrix[2].tolist() == pytest.approx([s, 0, c, 0], abs=1e-6)


def test_the_library_itself():
    for transform in (Rotary(FREQS), Rotary(FREQS, "half"), PartialRotary(Rotary(geometric_freqs(16)), 16)):
        report = check_rotary(transform, d=D, first=0, sense="counterclockwise", base=1e4)
        assert report.ok, report.text()
        assert not report.findings
    assert check_rotary(lambda x, angles: rotate(x, angles)).ok


def normed(x, positions):
    return nn.functional.normalize(rope(x, positions), dim=-1)


def not_of_zeros(x, positions):
    return rope(x, positions) if x.any() else 1 / 0


def in_fours(x, positions):
    skew = torch.tensor([[0.0, 1, 2, 0], [-1, 0, 0.5, 1], [-2, -0.5, 0, 3], [0, -1, -3, 0]]) / 10
    return torch.einsum("nij,bhnj->bhni", torch.linalg.matrix_exp(positions[:, None, None] * skew), x)


@pytest.mark.parametrize(
    ("function", "told", "match"),
    [
        (lambda apples: apples, {"call": "apples"}, r"call has unknown words \['apples'\]"),
        (lambda apples, pears: apples, {}, "the argument 'apples' has no usual name: say how the function is called"),
        (lambda positions, cos: positions, {}, "no argument takes the features to rotate; it takes positions, cos"),
        (lambda x, positions: x[..., :3], {}, "none of the usual ways to call it works"),
        (lambda x: 1 / 0, {}, "ZeroDivisionError: division by zero"),
        (lambda x: "no tensor", {}, "features came back as str"),
        (nn.Linear, {}, "Linear is a class: give an object of it"),
        (3, {}, "a function or a module is needed; got int"),
        (math.hypot, {}, "say how it is called"),
        (rope, {"table": lambda a, b: a}, "the table is made from a, b: wrap it"),
        (normed, {}, "the function is not linear in the features"),
        (not_of_zeros, {}, "it was called, but reading it ended in ZeroDivisionError: division by zero"),
        (with_freqs(yarn()), {}, "not geometric: say which scaling you meant"),
        (in_fours, {"d": 4}, "features mix in larger groups than pairs"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("as_in_use")
def test_what_cannot_be_read_gets_a_sentence(function, told, match):
    report = check_rotary(function, **told)
    assert report.ok is None
    assert len(report.unknown) == 1
    assert re.search(match, report.unknown[0]), report.unknown


@pytest.mark.parametrize(
    ("more", "ok"),
    [
        (lambda x: 1e-6 * x**3, True),
        (lambda x: 1e-3 * x**3, None),
        (lambda x: torch.full_like(x, 5e-8), True),
        (lambda x: torch.full_like(x, 3e-6), None),
    ],
)
def test_how_linear_it_must_be(more, ok):
    report = check_rotary(lambda x, positions: rope(x, positions) + more(x))
    assert report.ok is ok, report.text()


def test_what_was_found_before_an_error_stays():
    def wrong_and_short(x, positions):
        return x.copy_(rope(x, positions)) if x.shape[-2] != 24 else 1 / 0

    report = check_rotary(wrong_and_short)
    assert report.faults == ["in-place"]
    assert report.unknown == ["it was called, but reading it ended in ZeroDivisionError: division by zero"]


def test_the_reader_s_object_is_not_called():
    class Counting(nn.Module):
        calls = 0

        def forward(self, x, positions):
            self.calls += 1
            return rope(x, positions)

    counting = Counting()
    assert check_rotary(counting).ok
    assert counting.calls == 0


def test_a_function_that_keeps_its_precision_for_float32_only():
    report = check_rotary(lambda x, positions: turn(x, angles(positions.to(x.dtype))), base=1e4)
    assert report.faults == ["positions-half"]
    assert "for features in bfloat16" in report.findings[0].evidence
    assert "position 257" in report.findings[0].smallest


def test_traps_are_no_faults():
    table = torch.arange(5_000)[:, None] * FREQS
    report = check_rotary(lambda x, positions: turn(x, table[positions]))
    assert [each.fault for each in report.findings] == ["negative-positions"]
    assert report.ok
    report.require()


def test_a_shift_that_all_positions_share_is_equivalent():
    report = check_rotary(lambda x, positions: rope(x, positions + 3))
    assert report.ok
    assert report.facts["position 0"] == "rotated as position 3"
    assert "M_m^T M_n = T_m^T T_n" in report.equivalent[0]


def test_short_tables_are_read_as_far_as_they_go():
    table = torch.arange(40)[:, None] * FREQS
    for function in (
        lambda x, positions: turn(x, table[positions]),
        lambda x: turn(x, table[: x.shape[-2]].view(x.shape[-2], 32)),
    ):
        report = check_rotary(function, base=1e4, first=0)
        assert report.ok, report.text()


def test_heads_may_have_frequencies_of_their_own():
    speed = torch.tensor([1.0, 0.5, 0.25])
    report = check_rotary(
        lambda x, positions: turn(x, angles(positions)[None] * speed[: x.shape[1], None, None]), axes="bhnd"
    )
    assert report.ok, report.text()
    assert "frequencies of its own" in report.facts["heads"]


@pytest.mark.usefixtures("as_in_use")
def test_require_is_a_test_in_one_line():
    check_rotary(rope, layout="half", base=1e4).require()
    with pytest.raises(AssertionError, match="layout: features are paired the other way"):
        check_rotary(rope, layout="interleaved").require()
    with pytest.raises(AssertionError, match="cannot tell"):
        check_rotary(3).require()


@pytest.mark.parametrize(
    ("freqs", "d", "said"),
    [
        (FREQS, 64, "base 10,000"),
        (FREQS / 4, 64, "base 10,000, all divided by 4"),
        (geometric_freqs(4), 4, "base 10,000"),
        (FREQS.flip(0), 64, "rising"),
        (geometric_freqs(16), 64, "base 10,000"),
        (FREQS[:8], 64, "base 10, or 10,000 with the exponent of the whole head, 64"),
        (FREQS.square().add(0.1), 64, "not geometric"),
    ],
)
def test_frequencies_in_words(freqs, d, said):
    assert describe(freqs, 2 * len(freqs), d, 1e-4).startswith(said)


def test_right_frequencies_have_no_difference():
    assert difference(FREQS, FREQS, 64, 1e-4) is None
    assert difference(FREQS * 1.001, FREQS, 64, 1e-4)


def test_partial_rotation_is_a_fact():
    report = check_rotary(lambda x, positions: partial(x, positions), d=D)
    assert report.facts["rotated"] == "16 of 64 features"
    assert report.ok


def test_colour_and_json():
    report = check_rotary(rope, layout="interleaved")
    assert "\033[31m✗\033[0m layout" in report.text(colour=True)
    assert "\033" not in report.text()
    said = json.loads(report.json())
    assert said["ok"] is False
    assert said["faults"] == ["layout"]
    assert said["findings"][0]["page"] == "rotary/rotary"
    assert said["findings"][0]["thread"].startswith("https://github.com/")


def test_a_wrong_pairing_is_told_from_the_other_layout():
    order = torch.randperm(D, generator=torch.Generator().manual_seed(0))
    mixed = lambda x, positions: rope(x[..., order], positions)[..., order.argsort()]  # noqa: E731
    report = check_rotary(mixed)
    assert report.ok
    assert report.equivalent[0].startswith("x[..., [")
    assert check_rotary(mixed, layout="half").faults == ["pairing"]


def test_the_evidence_shows_a_pair_that_moves():
    (finding,) = check_rotary(rows_from_1, first=0).findings
    assert "pair 20 is rotated by 0.003162 rad" in finding.evidence
    shift = check_rotary(rows_from_1).facts["position 0"]
    assert shift == "pair 20 is rotated by 0.003162 rad"


def test_other_offsets():
    report = check_rotary(lambda x, offset=0: turn(x, angles(torch.arange(x.shape[-2]) + 3 * offset)))
    assert report.faults == ["offset-wrong"]


def test_negative_offsets():
    """As in the tests of flash-linear-attention: offsets below 0 stand for padding on the left."""
    fine = lambda x, offset=0: turn(x, angles(torch.arange(x.shape[-2]) + offset))  # noqa: E731
    clamped = lambda x, offset=0: turn(x, angles(torch.arange(x.shape[-2]) + max(offset, 0)))  # noqa: E731
    table = torch.arange(5_000)[:, None] * FREQS
    sliced = lambda x, offset=0: turn(x, table[offset : offset + x.shape[-2]])  # noqa: E731
    assert not check_rotary(fine).findings
    report = check_rotary(clamped)
    assert [each.fault for each in report.findings] == ["negative-positions"]
    assert report.findings[0].smallest == "4 tokens, offset -2"
    assert check_rotary(sliced).facts["negative offsets"] == "refused"


def test_a_call_that_goes_far_uses_other_frequencies():
    """As LongRoPE does: a trap for a cache, and no fault of the function."""
    report = check_rotary(
        lambda x, positions: turn(x, angles(positions, FREQS / (2 if positions.max() > 2_000 else 1))), base=10_000.0
    )
    assert report.ok, report.text()
    assert [each.fault for each in report.findings] == ["length-switch"]


def test_a_table_with_the_rotation():
    def table(x, position_ids):
        at = cat(angles(position_ids)) if position_ids.ndim == 1 else cat(position_ids.double()[..., None] * FREQS)
        return at.cos().to(x.dtype), at.sin().to(x.dtype)

    def apply(q, k, cos, sin):
        cos, sin = cos[:, None], sin[:, None]
        return q * cos + half(q) * sin, k * cos + half(k) * sin

    assert check_rotary(apply, table=table, base=1e4, layout="half").ok
    mixed = check_rotary(
        lambda q, cos, sin: q * cos[:, None] + neighbours(q) * sin[:, None], table=table, call="q cos sin"
    )
    assert mixed.faults == ["mixed-layout"]
