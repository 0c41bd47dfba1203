"""What several arguments must satisfy together, in one declaration: a condition, and the sentence for when it fails.

`@border(together(lambda n, chunks: chunks <= n, "each chunk needs a token; got {n} for {chunks}"), n=whole(1), …)`
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from torch import Tensor

from posenc_lib.border.declare import Relation
from posenc_lib.border.values import require_all

Sentence = str | Callable[..., str]
"""What is said of the arguments: with `{name}` in the place of one, of a tensor its shape; or made from them."""


def together(good: Callable[..., Any], sentence: Sentence) -> Relation:
    """A condition on the arguments that `good` names."""
    return Relation(_names(good), partial(_together, good, sentence))


def each(good: Callable[..., Tensor], rule: Sentence, remedy: str = "", *, wait: bool = False) -> Relation:
    """A condition on each value of the first argument that `good` names, as in `require_all`.

    A graph keeps the rule in words, so nothing is filled in there but by a function of numbers that are fixed in it.
    """
    return Relation(_names(good), partial(_each, good, rule, remedy, wait))


def named(check: Callable[..., Any], *names: str) -> Relation:
    """What `check` says of arguments, which it gets by their names."""
    return Relation(names, partial(_named, check, names))


def _said(sentence: Sentence, names: tuple, given: tuple) -> str:
    if callable(sentence):
        return sentence(*given)
    shown = (list(x.shape) if isinstance(x, Tensor) else x for x in given)
    return sentence.format(**dict(zip(names, shown, strict=True)))


def _together(good: Callable[..., Any], sentence: Sentence, *given: Any) -> None:
    if not good(*given):
        raise ValueError(_said(sentence, _names(good), given))


def _named(check: Callable[..., Any], names: tuple, *given: Any) -> None:
    check(**dict(zip(names, given, strict=True)))


def _each(good: Callable[..., Tensor], rule: Sentence, remedy: str, wait: bool, *given: Any) -> None:
    require_all(given[0], good(*given), rule(*given) if callable(rule) else rule, remedy, wait=wait)


def _names(good: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(signature(good).parameters)
