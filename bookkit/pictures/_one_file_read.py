"""One file with YaRN, read four ways: what each pair is divided by."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, line, rounded, text
from bookkit.movable.truth import Said
from posenc_lib import yarn
from posenc_lib.pairs import geometric_freqs

PAIRS, BASE, TRAINED, FACTOR, WRITTEN = 64, 1_000_000.0, 32_768, 4.0, 40_960


def divisors() -> torch.Tensor:
    """As it was meant; the ramp at the new length; the factor from another key; no scaling."""
    plain = geometric_freqs(2 * PAIRS, BASE)
    read = [
        yarn(plain, FACTOR, TRAINED),
        yarn(plain, FACTOR, int(FACTOR * TRAINED)),
        yarn(plain, WRITTEN / TRAINED, TRAINED),
        plain,
    ]
    return torch.stack([plain / freqs for freqs in read])


def one_file_read() -> Movable:
    c = sp.Symbol("c", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    divisor = sp.IndexedBase("divisor")
    each = Each(i, 0, PAIRS - 1)
    other = sp.Sum(sp.Min(1, sp.floor(1_000 * sp.Abs(divisor[c, i] - divisor[0, i]))), (i, 0, PAIRS - 1))
    readers = ("vLLM, as it was meant", "exllamav2", "exllamav3", "SGLang, keys outside rope_parameters")
    return Movable(
        name="one_file_read",
        alt="Two lines over the 64 pairs, from the fastest to the slowest: what their frequencies are divided by. The "
        "dashed one, which was meant, is 1 up to pair 23, rises, and is 4 from pair 40 on. As exllamav2 reads the file "
        "the solid line rises some six pairs later. As exllamav3 reads it, it ends at 1.25. With the keys in the wrong "
        "place it stays at 1.",
        question="A file says: YaRN, four times the length. Four programs load it without a warning. How many of "
        "them divide the frequencies as the file was meant?",
        answer="One in four does. exllamav2 was loaded for 131,072 tokens, takes these for the trained length, and "
        "begins to divide six pairs too late. exllamav3 ignores the factor 4, and divides two other keys of the file: "
        "40,960 by 32,768. And SGLang got the keys by an override, but beside rope_parameters and not in it: there "
        "they count for nothing.",
        controls=[Choice(c, "read by", readers)],
        marks=[
            line(i, divisor[c, i], each, "a"),
            line(i, divisor[0, i], each, "b"),
            text(1, 3.8, "dashed: as it was meant", look="b", anchor="start"),
            text(1, 3.4, "solid: as it is read", look="a", anchor="start"),
        ],
        say=[
            Say("Slowest pair: divided by", divisor[c, PAIRS - 1], 2),
            Say("pairs that turn otherwise than meant:", other, 0),
        ],
        view=(0, PAIRS - 1, 0.8, 4.2),
        frames=[{"c": 0}, {"c": 1}, {"c": 2}],
        axes=(
            Axis("pair, from fast to slow", {0: "0", 16: "16", 32: "32", 48: "48", 63: "63"}),
            Axis("frequency divided by", {1: "1", 2: "2", 3: "3", 4: "4"}),
        ),
        tables={divisor: rounded(divisors())},
    )


def truth(c: int) -> Said:
    plain = geometric_freqs(128, 1e6)
    meant = yarn(plain, 4.0, 32_768)
    read = [meant, yarn(plain, 4.0, 131_072), yarn(plain, 1.25, 32_768), plain][c]
    other = ((plain / read - plain / meant).abs() >= 0.001).sum().item()
    return [1e6 ** (-63 / 64) / read[-1].item(), other]
