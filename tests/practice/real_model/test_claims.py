"""What the page says of a released model: its records, its faults, and the reading of long texts by other routes."""

from __future__ import annotations

import re
from functools import cache, partial

import pytest
import torch

from bookkit.pages import faulty_positions, long_readings
from bookkit.pages.faulty_positions import FAULTS, FREQS, PROMPT, rotary, text
from bookkit.released_model import load
from experiments.real_model import methods, reading
from experiments.real_model.methods import CHUNK, Method, plain
from posenc_lib import attention, causal_mask, rotate
from posenc_lib.extension import MappedRotary, dynamic_ntk, rerope_ids, self_extend_ids, sink_ids, sink_mask
from posenc_lib.pairs import position_angles
from posenc_lib.relative.distance import pair_distances
from tests.support.weights import normal
from tools.book import ROOT

N, WINDOW = torch.arange(200), 32
MAPS = {
    "window": (pair_distances, None, (pair_distances(N, N) < WINDOW)),
    "sinks": (partial(sink_ids, sinks=4, recent=WINDOW), 4, sink_mask(N, N, 4, WINDOW)),
    "rerope": (partial(rerope_ids, window=WINDOW), None, True),
    "self-extend": (partial(self_extend_ids, window=WINDOW, group=4), None, True),
}


@pytest.mark.parametrize("name", MAPS)
def test_near_and_far_keys_read_apart_are_attention_with_the_whole_map(name, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK", 64)
    ids, kept, visible = MAPS[name]
    q, k, v = (normal(heads, 200, 64, seed=heads).float() for heads in (6, 3, 2))
    v = v[:1].expand(3, -1, -1)
    method = Method(plain, WINDOW, None if name == "window" else ids, kept)
    expected = attention(q, k, v, MappedRotary(FREQS, ids).slots(), mask=causal_mask(N, N) & visible)
    torch.testing.assert_close(reading.in_chunks(method, q, k, v, N), expected, rtol=0, atol=1e-5)


def test_a_stale_key_has_the_frequencies_of_its_own_chunk():
    k, n = normal(1, 3, 64), torch.tensor([5, 8 * CHUNK + 5, 11 * CHUNK])
    q, found = methods.as_first_cached(12 * CHUNK)(k, k, n, n)
    grown = lambda chunk: dynamic_ntk(FREQS, 1.0, chunk * CHUNK, 8_192)  # noqa: E731
    expected = [rotate(k[:, [i]], n[i] * grown(chunk)[None]) for i, chunk in enumerate((8, 9, 12))]
    torch.testing.assert_close(found, torch.cat(expected, 1))
    torch.testing.assert_close(q, rotate(k, position_angles(n, grown(12))))


# --- The records


def test_it_explodes_late_and_scaling_holds():
    released, yarn = long_readings.losses("released"), long_readings.losses("yarn")
    apart = [a - b for a, b in zip(released, yarn, strict=True)]
    assert max(apart[:18]) < 0.1 < 0.2 < min(apart[20:])  # from 9k to 10k
    assert long_readings.quarters("released")[3] - long_readings.quarters("yarn")[3] > 3


def test_copying_dies_before_the_loss_moves():
    assert long_readings.copied("released", 8_128)[7_168] < 0.05 < 0.2 < long_readings.copied("yarn", 8_128)[7_168]
    assert not any(long_readings.copied("released", 16_320).values())


@cache
def released(layout="interleaved"):
    torch.set_num_threads(1)
    return load(layout=layout)


@pytest.mark.parametrize(
    ("fault", "weights", "read_as"),
    [
        ("as released", "half", "half"),
        ("neighbours read as halves", "interleaved", "half"),
        ("halves read as neighbours", "half", "interleaved"),
    ],
)
def test_a_recorded_loss_is_that_of_the_model(fault, weights, read_as):
    found = released(weights).losses(released().ids(text())[:, :65], slots=rotary(FREQS, read_as))
    assert [part.mean().item() for part in found.split(32)] == pytest.approx(
        faulty_positions.losses(fault)[:2], abs=1e-3
    )


def test_what_it_writes():
    assert released().write(PROMPT, 6) == faulty_positions.written("as released")[: len(" Rome.\n\nThe United")]


# --- The faults


SEEN = {  # the distance that a score sees, where it should see t
    "as released": lambda t: t, "all positions + 5,000": lambda t: t, "rotated twice": lambda t: 2 * t,
    "keys one token nearer": lambda t: t - 1, "keys one token farther": lambda t: t + 1,
    "interpolated by 4, untrained": lambda t: t / 4, "other sense": lambda t: -t, "no rotation": lambda t: 0,
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_a_fault_sees_the_distance_that_its_name_says(name):
    q, k, m, n = normal(1, 64), normal(1, 64, seed=1), torch.tensor([290]), torch.tensor([283])
    turned = (FAULTS[name].slots.transform or (lambda q, k, m, n: (q, k)))(q, k, m, n)
    pairs = torch.view_as_complex(torch.stack((q, k)).unflatten(-1, (-1, 2)))
    expected = (pairs[0] * pairs[1].conj() * torch.exp(1j * FREQS * SEEN[name](7))).real.sum()
    torch.testing.assert_close((turned[0] * turned[1]).sum(), expected)


def test_bfloat16_is_exact_up_to_256_and_a_tolerance_tells_its_rounding_from_every_fault():
    right, rounded = (faulty_positions.losses(name) for name in ("as released", "positions in bfloat16"))
    assert rounded[:8] == right[:8]
    off = {name: faulty_positions.apart(name) for name in FAULTS}
    assert 2 * off["whole model in bfloat16"] < 0.1 < min(off[name] for name in FAULTS if FAULTS[name].trap) / 2


def test_the_page_leads_to_the_trap_of_each_fault():
    page = (ROOT / "book/practice/real-model.md").read_text(encoding="utf-8")
    traps = {fault.trap for fault in FAULTS.values()} - {""}
    assert traps <= {*re.findall(r"\(#trap-([\w-]+)", page)}
