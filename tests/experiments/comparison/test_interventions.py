"""An intervention changes what it says and nothing else; who copies by matching is told from who counts."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from experiments.comparison import causes, copying
from experiments.comparison.contestants import CONTESTANTS, HEADS, LAYERS, Model
from experiments.comparison.copying import from_start, strings
from experiments.comparison.readings import AS_MANY, CHANGED, FILLED, HIDDEN, PLAIN, SCALED, without_head
from experiments.tasks import LETTERS, STRING

pytestmark = pytest.mark.usefixtures("as_in_use")
TRAINED = 25
CASES = [(name, what) for name, changes in CHANGED.items() for what in changes if what != PLAIN]


@pytest.fixture
def tokens():
    return torch.randint(27, (2, 4 * TRAINED), generator=torch.Generator().manual_seed(0))


def model_of(name):
    torch.manual_seed(0)
    model = Model(27, CONTESTANTS[name], TRAINED)
    for slots in model.slots:
        for numbers in slots.parameters():
            nn.init.normal_(numbers)
    return model


@pytest.mark.parametrize(("name", "what"), CASES)
@torch.no_grad()
def test_nothing_changes_within_the_trained_length_and_something_beyond(name, what, tokens):
    model = model_of(name)
    before = model(tokens, torch.arange(4 * TRAINED))
    model.use(CHANGED[name][what](model.slots, TRAINED, 8))
    after = model(tokens, torch.arange(4 * TRAINED))
    torch.testing.assert_close(after[:, :TRAINED], before[:, :TRAINED], atol=1e-4, rtol=1e-4)
    # No distance that a text of 25 tokens lacks is left as it was; of T5 with reach 32 few buckets are.
    assert (after - before)[:, TRAINED + 10 :].abs().max() > 1e-3


@torch.no_grad()
def test_a_trained_table_is_not_written_to(tokens):
    model = model_of("t5 128")
    table = model.slots[0].bias.table.clone()
    changed = CHANGED["t5 128"][FILLED](model.slots, TRAINED, 8)
    assert torch.equal(model.slots[0].bias.table, table)
    rows = changed[0].bias.table
    untrained = changed[0].bias.edges >= TRAINED
    assert untrained.sum() == 12
    assert torch.equal(rows[1:][untrained], rows[len(rows) - 13].expand(12, -1))


@torch.no_grad()
def test_what_is_hidden_is_not_read(tokens):
    model = model_of("alibi")
    model.use(CHANGED["alibi"][HIDDEN](model.slots[:1] * LAYERS, TRAINED, 8))
    reach = LAYERS * (TRAINED - 1)
    other = tokens.clone()
    other[:, 0] = (other[:, 0] + 1) % 27
    longer = torch.cat((tokens, tokens), dim=1), torch.cat((other, tokens), dim=1)
    one, two = (model(each, torch.arange(8 * TRAINED)) for each in longer)
    assert torch.equal(one[:, reach + 1 :], two[:, reach + 1 :])
    assert not torch.equal(one[:, reach], two[:, reach])


@torch.no_grad()
def test_a_head_is_silenced_alone_and_for_a_while(tokens):
    model, at = model_of("rotary"), torch.arange(4 * TRAINED)
    before = model(tokens, at)
    with without_head(model, 2, 1):
        silent = model(tokens, at)
    assert torch.equal(model(tokens, at), before)
    weight = model.layers.layers[2].self_attention.to_out.weight
    weight.data[:, 16:32] = 0  # what reads that head
    torch.testing.assert_close(model(tokens, at), silent)


class Reader(nn.Module):
    """Writes what it is told to: by matching the last letter, or by counting back."""

    def __init__(self, matches: bool) -> None:
        super().__init__()
        self.matches = matches
        self.layers = Model(27, CONTESTANTS["none"], 32).layers

    def forward(self, tokens, positions):
        self.layers(torch.zeros(*tokens.shape, 64))
        answers = torch.zeros(tokens.shape, dtype=torch.long)
        for i in range(STRING, tokens.shape[1]):
            found = (tokens[:, :STRING] == tokens[:, i, None]).int().argmax(dim=1) + (i > STRING)
            at = found if self.matches else torch.full_like(found, i - STRING)
            answers[:, i] = tokens.gather(1, at[:, None])[:, 0]
        return nn.functional.one_hot(answers, LETTERS + 1).float()


@pytest.mark.parametrize("matches", [True, False])
def test_who_matches_goes_on_from_the_middle_and_who_counts_does_not(matches, monkeypatch):
    monkeypatch.setattr(copying, "TEXTS", 8)
    found = dict(copying.copying(Reader(matches), 0, torch.arange(2 * STRING)))
    assert found["begun in the middle: matches"] == float(matches)
    assert found["begun in the middle: counts"] == float(not matches)


def test_a_head_is_found_on_other_texts_than_it_is_judged_on(monkeypatch):
    seen = {"finding": [], "judging": []}
    weights, right = copying.weights_on_next, copying.right
    monkeypatch.setattr(copying, "TEXTS", 8)
    monkeypatch.setattr(copying, "weights_on_next", lambda *given: seen["finding"].append(given[1]) or weights(*given))
    monkeypatch.setattr(copying, "right", lambda *given: seen["judging"].append(given[1]) or right(*given))
    found = dict(copying.copying(model_of("alibi"), 0, torch.arange(2 * STRING)))
    assert {causes.MATCHES, causes.COUNTS, causes.SILENT, causes.OTHERS, causes.WORST_OTHER} < set(found)
    letters = strings(0)
    assert [tokens.tolist() for tokens in seen["finding"]] == [from_start(letters[:4]).tolist()]
    assert len(seen["judging"]) == 1 + HEADS * LAYERS
    assert all(torch.equal(tokens, from_start(letters[4:])) for tokens in seen["judging"])


@torch.no_grad()
def test_far_keys_weigh_together_what_as_many_as_in_training_would():
    """Scores that are all alike: then a share of the weights is a share of the keys."""
    for name, first, nearer in (("none", 64, 0), ("t5 32", 31, 31)):
        slots = CHANGED[name][AS_MANY](CONTESTANTS[name].slots(64), 64, 8)[0]
        odds = slots.bias(torch.tensor([63, 511]), torch.arange(512)).expand(4, -1, -1)[0].exp()
        assert odds[0, :64].tolist() == [1.0] * 64
        far = odds[1, : 512 - first].sum().item()
        assert far == pytest.approx((512 - first) * (64 - nearer) / (512 - nearer), rel=1e-4)
    assert far == pytest.approx(33, rel=1e-4)  # as many as a text of 64 has at 31 tokens back or more


def test_letters_of_a_string_differ_and_the_answer_begins_where_it_is_told():
    letters = strings(0)
    assert all(len(set(row)) == STRING for row in letters.tolist())
    assert from_start(letters, 5)[0, STRING + 1 :].tolist() == letters[0, 5:-1].tolist()
    assert HEADS * LAYERS == 16
    assert len(SCALED) == 4
