"""A function's source, to be shown in a chapter."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A function's source without its docstring; a notebook shows it as code."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


def source(function: Callable | type) -> Source:
    """The source of a function or class as it stands in the library, its docstrings left out.

    >>> from posenc_lib.inputs import is_integer
    >>> source(is_integer)
    def is_integer(dtype: torch.dtype) -> bool:
        return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)
    """
    text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            doc = node.body[0]
            lines[doc.lineno - 1 : doc.end_lineno] = [None] * (doc.end_lineno - doc.lineno + 1)
    return Source("\n".join(line for line in lines if line is not None).strip())
