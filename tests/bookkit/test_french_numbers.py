"""French number words: a table checked by hand, no two numbers alike, and what is lost without order."""

from collections import Counter

import pytest
import torch

from bookkit.french_numbers import PADDING, START, WORDS, digit_tokens, french, word_tokens
from posenc_lib.transformer import Transformer, greedy_decode

BY_HAND = {
    0: "zéro", 1: "un", 3: "trois", 6: "six", 7: "sept", 10: "dix", 11: "onze", 13: "treize", 14: "quatorze",
    15: "quinze", 16: "seize", 17: "dix sept", 18: "dix huit", 19: "dix neuf",
    20: "vingt", 21: "vingt et un", 22: "vingt deux", 29: "vingt neuf", 30: "trente", 31: "trente et un",
    41: "quarante et un", 48: "quarante huit", 50: "cinquante", 51: "cinquante et un", 60: "soixante",
    61: "soixante et un", 69: "soixante neuf", 70: "soixante dix", 71: "soixante et onze", 72: "soixante douze",
    76: "soixante seize", 77: "soixante dix sept", 79: "soixante dix neuf", 80: "quatre vingt",
    81: "quatre vingt un", 84: "quatre vingt quatre", 90: "quatre vingt dix", 91: "quatre vingt onze",
    96: "quatre vingt seize", 97: "quatre vingt dix sept", 99: "quatre vingt dix neuf", 100: "cent", 101: "cent un",
    111: "cent onze", 121: "cent vingt et un", 180: "cent quatre vingt", 200: "deux cent", 201: "deux cent un",
    420: "quatre cent vingt", 571: "cinq cent soixante et onze", 999: "neuf cent quatre vingt dix neuf",
    1000: "mille", 1001: "mille un", 1002: "mille deux", 1100: "mille cent", 2000: "deux mille", 2001: "deux mille un",
    1080: "mille quatre vingt", 4020: "quatre mille vingt", 1789: "mille sept cent quatre vingt neuf",
    9999: "neuf mille neuf cent quatre vingt dix neuf",
}  # fmt: skip


@pytest.mark.parametrize(("number", "words"), BY_HAND.items())
def test_table_checked_by_hand(number, words):
    assert " ".join(french(number)) == words


def test_no_two_numbers_have_the_same_words():
    assert len({tuple(french(number)) for number in range(10_000)}) == 10_000


def test_without_order_only_3966_numbers_are_left():
    bags = Counter(tuple(sorted(french(number))) for number in range(10_000))
    assert len(bags) == 3966
    assert sum(count for count in bags.values() if count > 1) == 8828  # numbers that share their words with another
    assert max(bags.values()) == 12


@pytest.mark.parametrize("pair", [(1002, 2000), (24, 80), (104, 400), (1080, 4020)])
def test_pairs_that_only_order_tells_apart(pair):
    a, b = map(french, pair)
    assert a != b
    assert Counter(a) == Counter(b)


@pytest.mark.parametrize("number", [-1, 10_000])
def test_numbers_outside_are_refused(number):
    with pytest.raises(ValueError, match=rf"numbers must lie between 0 and 9,999; got {number}"):
        french(number)


def test_vocabulary_is_every_word_once_and_the_padding_first():
    used = {word for number in range(10_000) for word in french(number)}
    assert set(WORDS) == used | {PADDING}
    assert len(set(WORDS)) == len(WORDS) == 26
    assert WORDS[0] == PADDING


def test_word_tokens_read_back_and_are_padded_on_the_right():
    tokens, lengths = word_tokens([1002, 80, 99, 0])
    assert [[WORDS[token] for token in row] for row in tokens] == [
        ["mille", "deux", "·", "·"],
        ["quatre", "vingt", "·", "·"],
        ["quatre", "vingt", "dix", "neuf"],
        ["zéro", "·", "·", "·"],
    ]
    assert lengths.tolist() == [2, 2, 4, 1]


def test_digit_tokens_read_back_and_are_no_start():
    digits = digit_tokens(range(10_000))
    assert [int("".join(map(str, row))) for row in digits.tolist()] == list(range(10_000))
    assert START not in digits.unique().tolist()


@pytest.mark.parametrize("seed", range(10))
def test_order_blind_encoder_cannot_tell_1002_from_2000(seed):
    """In exact arithmetic the two are equal; sums in another order may differ in the last bits."""
    torch.manual_seed(seed)
    model = Transformer(len(WORDS), 11, d_model=16, h=2, d_ff=32, n_layers=2).double().eval()
    a, b = word_tokens([1002, 2000])[0].split(1)
    memory_a, memory_b = model.encode(a), model.encode(b)
    torch.testing.assert_close(memory_a, memory_b.flip(1), rtol=0, atol=1e-12)  # the same vectors, in another order
    target = torch.tensor([[START, 1, 0, 0]])
    torch.testing.assert_close(model(a, target), model(b, target), rtol=0, atol=1e-12)
    assert torch.equal(greedy_decode(model, a, START, 4), greedy_decode(model, b, START, 4))
