"""What `border` does with the arguments of a function, and what it leaves as it was."""

from __future__ import annotations

import inspect

import pytest
import torch

from posenc_lib.border import border, each, named, places, together, tokens, whole


@border(h=whole(1), n=whole(0))
def read(h: int, x: object, n: int | None = None, *, m: int | None = 2) -> tuple:
    """Gives back what it got."""
    return h, x, n, m


class Layer:
    @border(h=whole(1))
    def __init__(self, h):
        self.h = h

    @border(positions=tokens)
    def forward(self, positions):
        return positions


@pytest.mark.parametrize("call", [lambda: read(0, 1), lambda: read(x=1, h=0), lambda: Layer(0), lambda: Layer(h=0)])
def test_a_rule_reads_its_argument_by_place_and_by_name(call):
    with pytest.raises(ValueError, match=r"^h must be at least 1; got 0$"):
        call()


class Table:
    length = 3

    @border(together(lambda n, length: n < length, "{n} is not below {length}").of("n", "self.length"), n=whole())
    def row(self, n: int = 0) -> int:
        return n


@border(together(lambda low, high: high is None or low < high, "{low} is not below {high}"), low=whole(), high=whole())
def between(low: int, high: int | None = None) -> tuple:
    return low, high


@pytest.mark.parametrize("call", [lambda: between(3, 3), lambda: between(high=3, low=3), lambda: Table().row(3)])
def test_a_relation_sees_arguments_given_by_place_and_by_name_and_attributes(call):
    with pytest.raises(ValueError, match=r"^3 is not below 3$"):
        call()


def test_a_relation_sees_defaults():
    assert between(3) == (3, None)
    assert Table().row() == 0


def test_a_relation_comes_after_the_rules():
    with pytest.raises(TypeError, match=r"^high must be an integer; got 'a'$"):
        between(3, "a")


def test_a_function_stands_for_the_relation_of_the_arguments_that_it_names():
    def require_pair(b: int, a: int) -> None:
        if (a, b) != (1, 2):
            raise ValueError(f"no pair: {a}, {b}")

    pair = border(require_pair)(lambda a, b: a + b)
    assert pair(1, 2) == pair(b=2, a=1) == 3
    with pytest.raises(ValueError, match=r"^no pair: 2, 1$"):
        pair(2, 1)


def test_a_check_can_have_the_arguments_by_name():
    def require_same(**given: int) -> None:
        if len({*given.values()}) > 1:
            raise ValueError(f"not the same: {given}")

    same = border(named(require_same, "a", "c"))(lambda a, b, c: b)
    assert same(1, 2, 1) == 2
    with pytest.raises(ValueError, match=r"^not the same: {'a': 1, 'c': 3}$"):
        same(1, 2, 3)


def test_a_relation_of_an_argument_that_is_not_there():
    with pytest.raises(TypeError, match=r"has no argument c to make rules for$"):
        border(together(lambda a, c: True, ""))(lambda a: a)


def test_what_has_no_rule_is_left_alone():
    assert read(1, None, m="?") == (1, None, None, "?")


def test_none_is_left_alone_where_it_is_the_default():
    assert read(1, 2, None) == read(1, 2, n=None) == (1, 2, None, 2)
    with pytest.raises(TypeError, match=r"^h must be an integer; got None$"):
        read(None, 2)


def test_a_default_is_right_as_it_is():
    @border(n=whole(1))
    def default(n=0):
        return n

    assert default() == 0


def test_the_function_gets_what_the_rule_gives():
    positions = torch.tensor([200], dtype=torch.uint8)
    assert Layer(1).forward(positions).dtype == Layer(1).forward(positions=positions).dtype == torch.int64


@pytest.mark.parametrize("call", [lambda: read(1, 2, 3, 4), lambda: read(1), lambda: read(1, 2, k=3), lambda: read()])
def test_arguments_that_do_not_fit_get_pythons_own_error(call):
    with pytest.raises(TypeError, match=r"^read\(\) (takes|missing|got)"):
        call()


@pytest.mark.parametrize("call", [between, lambda: between(high=2)])
def test_a_relation_leaves_a_missing_argument_to_python(call):
    with pytest.raises(TypeError, match=r"^between\(\) missing 1 required positional argument: 'low'$"):
        call()


def test_a_reader_sees_the_function_itself():
    assert str(inspect.signature(read)).startswith("(h: ")
    assert [*inspect.signature(read).parameters] == ["h", "x", "n", "m"]
    assert (read.__name__, read.__doc__) == ("read", "Gives back what it got.")
    assert "return h, x, n, m" in inspect.getsource(read)


def test_the_rules_can_be_asked_for():
    assert [*read.rules] == ["h", "n"]
    assert Layer.forward.rules == {"positions": tokens}


@pytest.mark.compiled
def test_it_compiles_in_one_graph_and_its_rules_on_values_stay():
    @border(
        together(lambda positions, n: len(positions) >= n, "{positions} has no {n} rows"),
        each(lambda positions, n: positions < 7 * n, "a position is 7 times n"),
        positions=places,
        n=whole(1),
    )
    def scaled(positions, n):
        return positions * n

    compiled = torch.compile(scaled, backend="aot_eager", fullgraph=True, dynamic=True)
    assert compiled(torch.arange(3), 2).tolist() == [0, 2, 4]
    assert compiled(torch.arange(5), n=3).tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(RuntimeError, match=r"a position is 7 times n"):
        compiled(torch.full((4,), 14), 2)
    with pytest.raises(RuntimeError, match=r"positions must be finite, and at most 2\*\*40 in size"):
        compiled(torch.full((4,), 2**41), 2)
