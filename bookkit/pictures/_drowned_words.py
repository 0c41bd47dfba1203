"""Two words to which the number of their place is added: how far apart do their directions stay?"""

import sympy as sp
import torch.nn.functional as F

from bookkit.movable import Each, Movable, Say, Slider, arrow, draggable, line, text
from bookkit.movable.truth import Said, numbers

MILLE, DEUX = (sp.Rational(3, 10), sp.Rational(11, 10)), (sp.Rational(11, 10), -sp.Rational(1, 5))


def drowned_words() -> Movable:
    m, t = sp.symbols("m t", real=True)

    def counted(word):
        return word[0] + m, word[1] + m

    def length(vector):
        return sp.sqrt(vector[0] ** 2 + vector[1] ** 2)

    def direction(word):
        x, y = counted(word)
        return x / length((x, y)), y / length((x, y))

    mille, deux = direction(MILLE), direction(DEUX)
    between = sp.atan2(deux[0] * mille[1] - deux[1] * mille[0], mille[0] * deux[0] + mille[1] * deux[1])
    far = sp.Rational(6, 5)
    return Movable(
        name="drowned_words",
        alt="A circle with two arrows, the directions of the vectors of mille and deux after their place was added "
        "to both features. As the place grows, the two arrows close up.",
        question="Each word has two features, and the number of its position is added to both. As the position "
        "grows, what is left of the difference between the two words?",
        answer="Almost nothing. The number outgrows the words: all vectors point the same way, and grow long.",
        controls=[Slider(m, "position =", 0, 60, 0)],
        marks=[
            line(sp.cos(t), sp.sin(t), Each(t, 0, 6.2832, 61), "quiet"),
            draggable(arrow(*mille, look="b"), m),
            draggable(arrow(*deux, look="a"), m),
            text(far * mille[0], far * mille[1] + sp.Rational(1, 8), "mille", look="b"),
            text(far * deux[0] + sp.Rational(1, 5), far * deux[1] - sp.Rational(1, 8), "deux", look="a"),
        ],
        say=[
            Say("Angle between the two vectors:", between * 180 / sp.pi, 1, "degrees."),
            Say("Length of “deux”:", length(counted(DEUX)), 1),
        ],
        view=(-1.9, 1.9, -1.2, 1.45),
        play=m,
        frames=[{"m": 0}, {"m": 1}, {"m": 20}],
    )


def truth(m: int) -> Said:
    mille, deux = numbers(0.3, 1.1) + m, numbers(1.1, -0.2) + m
    return [F.cosine_similarity(mille, deux, dim=0).clamp(max=1).acos().rad2deg().item(), deux.norm().item()]
