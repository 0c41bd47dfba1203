"""The pictures that move say and draw what the library computes; their records and still frames are sound."""

import base64
import dataclasses
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
import torch
from PIL import Image

from bookkit import pictures
from bookkit.movable import Each, Movable, Say, Slider, dots, line
from bookkit.movable.description import MOVABLE
from bookkit.movable.formulas import javascript
from bookkit.movable.still import points, still
from posenc_lib import Slots, attention_weights
from posenc_lib.absolute import sinusoidal
from posenc_lib.extension import by_parts, interpolate, llama3, ntk, yarn
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi, alibi_slopes
from tests.support.movable import TOLERANCE, TRUTH, picture, settings

NAMES = pictures.__all__  # each is made by the first test that asks for it


def test_no_picture_hides_its_module():
    """Were it clock.py, `import bookkit.pictures.clock as x` would give the function."""
    files = {path.stem for path in Path(pictures.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {f"_{name}" for name in pictures.__all__}


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_says_what_the_library_computes(name):
    for at in (settings(picture(name), seed) for seed in range(30)):
        true = pytest.approx(TRUTH[name](**at), rel=1e-9, abs=TOLERANCE, nan_ok=True)
        assert list(picture(name).says(**at).values()) == true, at


def test_the_dials_open_with_the_question_of_their_method():
    shown = [pictures.dials(method) for method in ("none", "interpolation", "NTK")]
    assert [next(iter(each.says(u=1, w=1).values())) for each in shown] == [18, 0, 17]
    assert len({each.question for each in shown}) == 3


# --- What is drawn ----------------------------------------------------------------------------------------------------


def drawn(name: str, kind: str, look: str, **at: float) -> list[dict[str, float]]:
    (mark,) = (mark for mark in picture(name).marks if (mark.kind, mark.look) == (kind, look))
    return points(mark, picture(name).values(**at))


@pytest.mark.parametrize(("m", "k"), [(0, 0), (7, 5), (60, 12)])
def test_the_hands_of_the_clock_are_the_features(m, k):
    for look, position in (("a", m), ("b", m + k)):
        p = sinusoidal(torch.tensor([position]), 8, base=100.0, dtype=torch.float64)[0]
        arrows = drawn("clock", "arrow", look, m=m, k=k)
        hands = [(arrow["x"] - arrow["from_x"], arrow["y"] - arrow["from_y"]) for arrow in arrows]
        assert np.allclose(hands, p.reshape(4, 2).flip(-1))  # cosine across, sine up


@pytest.mark.parametrize(("g", "method"), [(0, lambda f, s: f), (1, interpolate), (2, ntk)])
def test_the_arcs_of_the_dials_end_where_the_text_ends(g, method):
    freqs = geometric_freqs(128)
    seen, needed = 4096 * freqs, 8 * 4096 * method(freqs, 4.0)
    arcs = np.array([(p["x"], p["y"]) for p in drawn("dials", "line", "b", u=3, w=2, g=g)]).reshape(64, 25, 2)
    middles = np.array([(2 * (i % 16), -2 * (i // 16)) for i in range(64)])
    for i in range(64):
        if seen[i] < 2 * math.pi and needed[i] > seen[i]:
            ends = torch.stack((seen[i], needed[i].clamp(max=2 * math.pi)))
            hands = 0.8 * torch.stack((ends.cos(), ends.sin()), dim=-1).numpy()
            assert np.allclose(arcs[i, [0, -1]] - middles[i], hands)
        else:
            assert np.isnan(arcs[i]).all()


@pytest.mark.parametrize(("a", "b", "other", "rule"), [(10, 5, 1, interpolate), (0, 11, 2, ntk), (12, 8, 3, llama3),
                                                       (0, 0, 4, yarn)])  # fmt: skip
def test_the_bars_and_the_line_are_the_speeds_that_pairs_keep(a, b, other, rule):
    freqs, at = geometric_freqs(128), {"a": a, "b": b, "w": 2, "other": other}
    kept = by_parts(freqs, 4.0, 4096, alpha=2.0 ** (10 - max(a, b)), beta=2.0 ** (10 - b)) / freqs
    teal, rust = ([p["height"] for p in drawn("kept_speeds", "box", look, **at)] for look in "ab")
    compared = rule(freqs, 4.0, *([] if other < 3 else [4096])) / freqs
    assert np.allclose(np.fmax(teal, [math.nan] * 46 + rust), kept)
    assert np.allclose([p["y"] for p in drawn("kept_speeds", "line", "c", **at)], compared)
    assert [not math.isnan(height) for height in rust] == (kept[46:] > 0.2503).tolist()


def test_the_lamps_show_each_weight_beside_the_readers_own():
    q, k = torch.zeros(8, 1, 1, dtype=torch.float64), torch.zeros(8, 64, 1, dtype=torch.float64)
    slots = Slots(bias=Alibi(alibi_slopes(8, dtype=torch.float64)))
    weights = attention_weights(q, k, slots, q_positions=torch.tensor([63]))[:, 0]
    assert np.allclose(
        [box["shade"] for box in drawn("lamps", "box", "a", m=63)], (weights / weights[:, -1:]).flatten()
    )


def test_all_weights_of_the_moved_word_are_drawn_at_their_places():
    boxes = drawn("moved_word", "box", "a", f=2)
    places = {(round(box["x"]), round(box["y"])) for box in boxes}
    assert places == {(x, y) for x in range(4) for y in range(4)}
    # “mille” stands in the third place, and looks at itself there.
    (own,) = (box["shade"] for box in boxes if (box["x"], box["y"]) == (2, 1))
    start = drawn("moved_word", "box", "a", f=0)
    assert own == next(box["shade"] for box in start if (box["x"], box["y"]) == (0, 3))


@pytest.mark.parametrize(("k", "cells"), [(0, 28), (1, 32), (1.5, 28), (2, 28), (2.5, 16), (3, 16)])
def test_the_cells_of_the_shift_never_lie_on_each_other_at_a_whole_step(k, cells):
    boxes = [(p["x"], p["y"]) for p in drawn("rel_shift_steps", "box", "a", k=k) if not math.isnan(p["x"])]
    assert len(boxes) == cells
    if k == int(k):
        assert len(set(boxes)) == cells


# --- The record, and the still frames ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_record_is_whole_plain_and_the_same_every_time(name):
    record = picture(name).record()
    assert json.loads(json.dumps(record, allow_nan=False)) == record == picture(name).record()
    assert len(json.dumps(record)) < 14_000
    assert all(record[words].strip() for words in ("name", "alt", "question", "answer"))
    assert "?" in record["question"]


def test_the_record_of_a_small_picture():
    x, t = sp.symbols("x t", real=True)
    table = sp.IndexedBase("table")
    small = Movable(
        name="small",
        alt="A line.",
        question="Where?",
        answer="There.",
        controls=[Slider(x, "x =", 0, 2, 1, 0.5, shown=2**x, digits=1)],
        marks=[line(t, x * t**2, Each(t, 0, 1, 3), "b")],
        say=[Say("Twice:", table[1] * x, 2, "m")],
        view=(0, 1, 0, 2),
        frames=[{"x": 2}],
        tables={table: [1.0, 2.0]},
    )
    assert small.record() == {
        "name": "small",
        "alt": "A line.",
        "question": "Where?",
        "answer": "There.",
        "view": [0, 1, 0, 2],
        "ratio": 2.0,
        "axes": [],
        "tables": {"table": [1.0, 2.0]},
        "lets": [],
        "controls": [
            {"name": "x", "words": "x =", "low": 0, "high": 2, "step": 0.5, "at": 1, "digits": 1}
            | {"shown": "Math.pow(2, x)", "at_first": "2.0"}
        ],
        "marks": [{"kind": "line", "look": "b", "over": [["t", 0, 1, 3]], "x": "t", "y": "Math.pow(t, 2)*x"}],
        "say": [["Twice:", "x*table[1]", 2, "m", "2.00"]],
    }
    assert points(small.marks[0], small.values(x=2)) == [{"x": t, "y": 2 * t**2} for t in (0, 0.5, 1)]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_keeps_the_record_and_still_frames_with_the_question(name):
    bundle = picture(name)._repr_mimebundle_()
    assert bundle[MOVABLE] == picture(name).record()
    assert bundle["text/plain"] == picture(name).alt
    with Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))) as image:
        assert image.width == 792
        assert 250 < image.height < 900
    assert 2 <= len(picture(name).frames) <= 4


def test_still_frames_are_the_same_bytes_twice_and_follow_question_and_settings():
    shown = picture("score_by_distance")
    first = still(shown)
    assert first == still(shown)
    for change in ({"question": "Another one?"}, {"frames": [{"r": 1}, {"r": 60}]}, {"marks": shown.marks[:-1]}):
        assert first != still(dataclasses.replace(shown, **change))


def test_a_settings_frame_names_only_what_the_picture_has():
    for name in NAMES:
        names = {control.symbol.name for control in picture(name).controls}
        assert all(frame.keys() <= names for frame in picture(name).frames), name


# --- The small parts --------------------------------------------------------------------------------------------------


def test_a_sum_and_a_table_become_javascript():
    i, j, n = sp.symbols("i j n", integer=True)
    table = sp.IndexedBase("table")
    assert javascript(sp.Sum(table[n, i], (i, 0, n - 1))) == "sum(0, n - 1, (i) => table[n][i])"
    assert javascript(sp.Sum(i * j, (i, 0, 1), (j, 0, 2))) == "sum(0, 2, (j) => sum(0, 1, (i) => i*j))"
    assert javascript(sp.nan) == "NaN"


def test_whole_steps_are_whole_numbers():
    i = sp.Symbol("i", integer=True)
    assert [type(value) for value in Each(i, 0, 2).values] == [int] * 3
    assert Each(i, 0, 1, 3).values == [0, 0.5, 1]


def test_an_unknown_look_is_refused():
    with pytest.raises(ValueError, match=r"a look is one of a, b, c, quiet, stays, plain, faint; got 'red'"):
        dots(0, 0, look="red")
