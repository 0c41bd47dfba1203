"""A text with one word twice, and a switch for each term of the score: which terms tell the two apart?"""

import math

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, box, rounded, text
from bookkit.movable.truth import Said, numbers
from posenc_lib import Slots, attention_weights
from posenc_lib.relative import DisentangledBias

WORDS = ("new", "store", "new", "mall")
N, REACH = len(WORDS), 3
QUERIES = torch.tensor(
    [(0.5, 0.5), (2.5, 0), (0.5, 0.5), (2.5, 0)], dtype=torch.float64
)  # a noun looks for its adjective
KEYS = torch.tensor([(2, 2), (0.5, 0), (2, 2), (0.5, 0)], dtype=torch.float64)
ONE_BACK, ONE_AHEAD = (1.5, 0), (1.5, 1.5)  # the key of “one token back”, the query of “one token ahead”


def attended(query_distance: int, distance_key: int, both_distances: int) -> torch.Tensor:
    """The weights, with these of the three terms that read a distance switched on."""
    bias = DisentangledBias(d_model=2, h=1, span=REACH).double()
    table = torch.zeros(2 * REACH, 2, dtype=torch.float64)
    table[REACH + 1, 0] = table[REACH - 1, 1] = 1  # the rows for one token back and for one ahead
    keys = torch.tensor([ONE_BACK, (0, 0)], dtype=torch.float64).T
    queries = torch.tensor([(0, 0), ONE_AHEAD], dtype=torch.float64).T
    state = {"table": table, "to_keys.weight": keys * query_distance, "to_queries.weight": queries * distance_key}
    bias.load_state_dict(state)
    at = torch.arange(N)
    back = at[:, None] - at
    fourth = (table @ queries.T)[bias.row(-back)] * (table @ keys.T)[bias.row(back)]
    slots = Slots(
        content_bias=bias, scale=bias.scale, bias=lambda *_: both_distances * bias.scale * fourth.sum(-1)[None]
    )
    with torch.no_grad():
        return attention_weights(QUERIES[None], KEYS[None], slots, q_positions=at, k_positions=at)[0]


def terms_on_off() -> Movable:
    switches = [
        Choice(sp.Symbol(name, real=True), words, ("off", "on"))
        for name, words in (
            ("a", "word with distance"),
            ("b", "distance with word"),
            ("c", "distance with distance"),
        )
    ]
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    weight = sp.IndexedBase("weight")
    weights = [[[rounded(attended(a, b, c), 6) for c in range(2)] for b in range(2)] for a in range(2)]
    now = [switch.symbol for switch in switches]
    down, across, side = Each(i, 0, N - 1), Each(j, 0, N - 1), sp.Rational(19, 20)
    return Movable(
        name="terms_on_off",
        alt="The words new, store, new and mall along both sides of a square of cells. A stronger cell means that the "
        "word on the left looks more at the word above.",
        question="“store” looks for its adjective, and “new” stands here twice. At first only words meet "
        "words. Which switches let “store” and “mall” each find its own “new”?",
        answer="Each of them, in its own way. Word with distance: the noun prefers the key one token back. Distance "
        "with word: the adjective prefers to be seen from the token after it. Distance with distance also prefers one "
        "token back, but for every word alike, nouns or not. DeBERTa keeps the first two and drops the third.",
        controls=switches,
        marks=[
            box(j, -i, (side, side), weight[*now, i, j], [down, across]),
            text(j, sp.Rational(4, 5), WORDS, across),
            text(sp.Rational(-7, 10), -i, WORDS, down, anchor="end"),
        ],
        say=[
            Say("“store” looks at the “new” before it:", weight[*now, 1, 0], 2),
            Say("“store” looks at the other “new”:", weight[*now, 1, 2], 2),
            Say("The second “new” looks at “store”:", weight[*now, 2, 1], 2),
        ],
        view=(-2.4, 4, -3.6, 1.2),
        frames=[{"a": 0}, {"a": 1}, {"a": 1, "b": 1}, {"a": 0, "b": 0, "c": 1}],
        tables={weight: weights},
    )


def truth(a: int, b: int, c: int) -> Said:
    """By hand: the scores, word by word."""
    q = numbers(0.5, 0.5, 2.5, 0, 0.5, 0.5, 2.5, 0).reshape(4, 2)
    k = numbers(2, 2, 0.5, 0, 2, 2, 0.5, 0).reshape(4, 2)
    scores = q @ k.T
    for m in range(1, 4):  # one token back
        scores[m, m - 1] += a * q[m] @ numbers(1.5, 0) + b * k[m - 1] @ numbers(1.5, 1.5) + c * 1.5 * 1.5
    weights = (scores / math.sqrt(6)).softmax(-1)
    return [weights[1, 0].item(), weights[1, 2].item(), weights[2, 1].item()]
