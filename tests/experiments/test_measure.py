"""The harness: probes that say what they ask for, a stand-in that knows the answers, and a Llama of transformers."""

from __future__ import annotations

import random
import re

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from bookkit.pages.measuring import contexts, losses, perplexity
from experiments import measure
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
