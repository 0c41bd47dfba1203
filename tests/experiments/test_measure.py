"""The harness: probes that say what they ask for, a stand-in that knows the answers, and a Llama of transformers."""

from __future__ import annotations

import random
import re

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from bookkit.measuring import contexts, losses, losses_by_context, perplexity
from experiments import distances, measure, measured, probing
from experiments.comparison.contestants import CONTESTANTS, Model
from experiments.comparison.readings import SCALED
from experiments.comparison.tasks import LENGTH, source
from experiments.probes import COLOURS, KINDS, SIGHTS, VOCABULARY, probe
from tests.support.weights import filled

NUMBER = {word: i for i, word in enumerate(VOCABULARY)}


def encode(text):
    return [NUMBER[word] for word in text.split()]


def solved(kind, words):
    """The answer, by reading the words as a person would."""
    facts = {"has": {}, "sees": {}, "copies": {}}
    for subject, verb, thing in zip(words, words[1:], words[2:], strict=False):
        if verb in facts and thing != ".":
            facts[verb][subject] = thing
    if kind == "no shared word":
        (person,) = (p for p, sight in facts["sees"].items() if SIGHTS[sight] == words[-2])
        return person
    if kind == "most frequent":
        return max(COLOURS, key=words.count)
    who = words[-2]
    while who in facts["copies"]:
        who = facts["copies"][who]
    return facts["has"][who]


@pytest.mark.parametrize("length", [44, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_a_probe_has_so_many_words_and_one_answer(kind, length):
    draw = random.Random(1)
    answers = set()
    for _ in range(30):
        asked = probe(kind, length, draw)
        assert len(asked.words) == length
        assert asked.answer in asked.choices
        assert solved(kind, [*asked.words]) == asked.answer
        answers.add(asked.answer)
    assert len(answers) > 4


def test_what_a_probe_asks_for_lies_anywhere():
    draw = random.Random(0)
    places = [probe("one needle", 400, draw).words.index("has") for _ in range(60)]
    assert min(places) < 60
    assert max(places) > 330


def test_a_chain_is_not_found_by_its_place():
    draw = random.Random(3)
    first = 0
    for _ in range(200):
        asked = probe("tracing", 44, draw)
        first += next(word for word in asked.words if word in COLOURS) == asked.answer
    assert 70 < first < 130


def test_the_needle_without_a_shared_word_shares_none():
    asked = probe("no shared word", 60, random.Random(2))
    city = asked.words[-2]
    assert asked.words.count(city) == 1
    assert asked.answer not in asked.words[-5:]


def test_a_probe_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"'tracing' needs 28 words, and 20 were asked for"):
        probe("tracing", 20, random.Random(0))


def knows(ids):
    """A stand-in with the call of a model: the answer, where the question is less than 100 words from the start."""
    words = [VOCABULARY[i] for i in ids[0].tolist()]
    kind = {"is": "no shared word", "are": "most frequent"}.get(words[-1], "tracing")
    scores = torch.zeros(1, len(words), len(VOCABULARY))
    if len(words) < 100:
        scores[0, -1, NUMBER[solved(kind, words)]] = 1.0
    return scores


def test_the_table_of_probes_with_a_stand_in_that_loses_long_texts(capsys):
    given = ["a name", "--probes", "--lengths", "50", "90", "200", "--count", "20"]
    assert measure.main(given, load=lambda name: (knows, encode, None)) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert re.findall(r"\d+", head)[:3] == ["50", "90", "200"]
    assert [row[:16].strip() for row in rows] == [*KINDS]
    for row in rows:
        first, second, third, ruler, nolima, long = re.findall(r"[-+]?\d+\.?\d*", re.sub(r"± +\S+", "", row))
        assert (first, second, ruler, nolima) == ("100.0", "100.0", "90", "90")
        assert float(third) < 40
        assert float(long) == pytest.approx(float(third) / 100 - 1, abs=0.006)


def test_choices_that_begin_alike_are_refused():
    asked = probe("one needle", 50, random.Random(0))
    with pytest.raises(ValueError, match="two of red, blue"):
        measure.right(knows, lambda text: [0] * len(text.split()), None, asked)


@pytest.fixture(scope="module")
def llama():
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64}
    return filled(LlamaForCausalLM(LlamaConfig(**sizes, num_hidden_layers=2, vocab_size=256))).eval()


TEXT = "".join(random.Random(0).choices("abcdefgh \n", k=300))


@torch.no_grad()
@pytest.mark.parametrize("start", [None, 1])
def test_a_llama_of_transformers_token_by_token(llama, start):
    tokens = torch.tensor([*TEXT[:60].encode()])
    found = losses(measure.as_function(llama), tokens, 16, 5, start)
    scored = contexts(60, 16, 5).tolist()[start is None :]
    for loss, place, c in zip(found, range(start is None, 60), scored, strict=True):
        before = tokens[place - c : place].tolist()
        logits = llama(torch.tensor([[start] * (start is not None) + before])).logits[0, -1]
        assert loss.item() == pytest.approx(-logits.log_softmax(-1)[tokens[place]].item(), abs=1e-4)


def test_the_command_reads_a_llama(llama, tmp_path, capsys):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    given = ["tiny", "--text", str(file), "--window", "32", "--stride", "32", "8"]
    load = lambda name: (measure.as_function(llama), lambda text: [*text.encode()], None)  # noqa: E731
    assert measure.main(given, load=load) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first == "300 tokens, windows of 32, start token: None"
    tokens = torch.tensor([*TEXT.encode()])
    expected = [perplexity(losses(measure.as_function(llama), tokens, 32, s)) for s in (32, 8)]
    assert [float(re.search(r"perplexity (\S+)", row)[1]) for row in rows[:2]] == pytest.approx(expected, abs=1e-3)
    assert ["c = " in row for row in rows[3:]] == [True] * 6


def test_without_transformers_the_command_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(SystemExit, match="pip install transformers"):
        measure.main(["gpt2", "--probes"])


def test_nothing_to_measure_is_said(capsys):
    with pytest.raises(SystemExit):
        measure.main(["gpt2"])
    assert "give --text FILE, or --probes, or both" in capsys.readouterr().err


# --- the record


def untrained(method):
    torch.manual_seed(0)
    return Model(256, CONTESTANTS[method], LENGTH)


@torch.no_grad()
def test_one_pass_gives_the_losses_of_all_contexts():
    ((_, model),) = measured.ways(untrained("alibi"), "alibi", 1.0)
    tokens = torch.tensor([*TEXT[:40].encode()])
    found = measured.every_context(model, tokens, 8)
    assert found.shape == (8, 40 - 16)
    expected = losses_by_context(model, tokens, range(8, 32), range(1, 9))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


@torch.no_grad()
def test_rotary_is_read_with_yarns_frequencies_too_and_then_has_its_own_again():
    model, tokens = untrained("rotary"), torch.tensor([[*TEXT[:100].encode()]])
    own = model.slots
    found = {reading: function(tokens) for reading, function in measured.ways(model, "rotary", 4.0)}
    assert [*found] == ["rotary", "yarn"]
    assert model.slots == own
    for reading, slots in (("rotary", own), ("yarn", SCALED["yarn"](own, LENGTH, 4.0))):
        model.use(slots)
        torch.testing.assert_close(found[reading], model(tokens, torch.arange(100)), rtol=0, atol=0)
    assert (found["yarn"] - found["rotary"]).abs().max() > 1e-3


def test_the_files_are_those_that_the_comparison_reports_on():
    found = distances.files()
    assert b"".join(found) == source("report").numpy().tobytes()
    assert len(found) > 40


def test_files_that_do_not_make_up_the_text_are_refused(monkeypatch):
    monkeypatch.setattr(distances, "source", lambda use: torch.zeros(9, dtype=torch.uint8))
    with pytest.raises(ValueError, match="no file goes on at byte 0 of 9"):
        distances.files()


def test_what_a_file_offers_at_a_distance():
    copied = b"0123456789abcdefX" + b"-" * 100 + b"0123456789abcdefX"
    found = distances.shares([copied, b"short"])
    total = len(copied) + 5
    assert found["has so much before it"][64] == pytest.approx(100 * (len(copied) - 64) / total)
    assert found["copy nearest further back"][64] == pytest.approx(100 / total)  # the X; dashes copy their neighbour
    assert found["copy nearest further back"][256] == 0


def test_a_model_is_taught_and_asked():
    ((_, model),) = measured.ways(probing.taught("none", 0, steps=2), "none", 1.0)
    assert 0 <= probing.share_right(model, "one needle", 50, count=16) <= 100


def test_a_right_answer_is_the_likeliest_of_the_choices():
    """The stand-in says the answer, but a word that is no choice louder; beyond 100 words it says nothing."""

    def louder(ids):
        scores = torch.cat([knows(row[None]) for row in ids])
        scores[..., NUMBER["rain"]] = 2.0
        return scores

    assert probing.share_right(louder, "tracing", 60, count=20) == 100
    assert probing.share_right(louder, "tracing", 120, count=20) < 50


def test_a_batch_ends_where_its_texts_end():
    asked = [probe("one needle", length, random.Random(0)) for length in (44, 60, 51)]
    ids, ends = probing.batch(asked)
    assert ids.shape == (3, 60)
    for one, row, end in zip(asked, ids, ends, strict=True):
        assert [VOCABULARY[i] for i in row[: end + 1]] == [*one.words]


def test_a_new_part_of_the_record_leaves_the_others(monkeypatch, tmp_path):
    """Three runs of a text model that is not trained, in the place of the old rows of its task alone."""
    monkeypatch.setattr(measured, "RECORD", tmp_path / "measuring.csv")
    monkeypatch.setattr(measured, "PARTS", {"text": (lambda *of: [("text", *of[:2], "loss", 1, 1 / 3)], ("rotary",))})
    assert measured.main(["text", "--seeds", "3", "--weights", str(tmp_path)]) == 0
    head, *lines = (tmp_path / "measuring.csv").read_text(encoding="utf-8").splitlines()
    old = measured.record()
    assert head == "task,model,seed,measure,at,value"
    assert [its for its in lines if its.startswith("text")] == [f"text,rotary,{i},loss,1,0.33333" for i in (20, 21, 22)]
    assert len(lines) == 3 + sum(row["task"] != "text" for row in old)
