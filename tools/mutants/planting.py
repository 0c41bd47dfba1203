"""Errors for `make mutants`: mutmut makes them, and each is planted where the functions already are.

The code of a function is exchanged in place, so nothing is imported again and everybody who holds the function calls
the error. Only what stands in bodies can be planted so: what runs at import (decorators, defaults, tables) has run.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import inspect
from collections import Counter
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import NamedTuple

from tools.book import ROOT


class Mutant(NamedTuple):
    module: str
    function: str
    change: str  # what stood there → what stands there now
    source: str


def mutants(module: str) -> Iterator[Mutant]:
    """All that stand in bodies, in the order of a hash of the error's own text.

    So the first few stay the same when something else in the module changes.
    """
    wrapper, mutations = found_by_mutmut(module)
    old = compile((ROOT / module).read_text(encoding="utf-8"), module, "exec")
    named = sorted(
        named_apart(wrapper.module, mutations), key=lambda row: hashlib.sha256("".join(row[:2]).encode()).digest()
    )
    for function, change, mutation in named:
        source = wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        if stands_in_a_body(old, source):
            yield Mutant(module, function, change, source)


def named_apart(module, mutations) -> Iterator[tuple]:
    """Function, change and the mutation itself. Of two equal changes in one function the second says so."""
    seen: Counter[tuple[str, str]] = Counter()
    for mutation in mutations:
        function = getattr(getattr(mutation.contained_by_top_level_function, "name", None), "value", "")
        change = " → ".join(module.code_for_node(its) for its in (mutation.original_node, mutation.mutated_node))
        seen[function, change] += 1
        count = seen[function, change]
        yield function, change + (f" ({count})" if count > 1 else ""), mutation


def found_by_mutmut(module: str):
    """Its tree, and the errors that can be made in it."""
    import libcst as cst
    from mutmut.mutation import file_mutation
    from mutmut.mutation.pragma_handling import IgnoredCode

    class Visitor(file_mutation.MutationVisitor):
        def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
            # mutmut leaves out what is decorated, and here most functions are: by what they refuse.
            return not isinstance(node, cst.FunctionDef) and super()._skip_node_and_children(node)

    wrapper = cst.metadata.MetadataWrapper(cst.parse_module((ROOT / module).read_text(encoding="utf-8")))
    visitor = Visitor(file_mutation.mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    return wrapper, visitor.mutations


def codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """All functions and classes in it, each by its name and by how many of that name came before."""
    count: Counter[str] = Counter()

    def walk(its: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
        count[its.co_qualname] += 1
        yield (its.co_qualname, count[its.co_qualname]), its
        for const in its.co_consts:
            if isinstance(const, CodeType):
                yield from walk(const)

    return walk(code)


def alone(code: CodeType) -> tuple:
    """What it does itself, without what the functions in it do."""
    return code.co_code, code.co_names, tuple(its for its in code.co_consts if not isinstance(its, CodeType))


def stands_in_a_body(old: CodeType, source: str) -> bool:
    """Neither the module nor a class in it does anything else while it is imported."""
    runs_at_import = lambda code: {  # noqa: E731
        key: alone(its) for key, its in codes(code) if not its.co_flags & inspect.CO_NEWLOCALS
    }
    return runs_at_import(old) == runs_at_import(compile(source, old.co_filename, "exec"))


def plant(mutant: Mutant) -> None:
    """In this process, for good. What has been kept of earlier calls is forgotten."""
    name = mutant.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    loader, place = importlib.import_module(name).__loader__, str(ROOT / mutant.module)
    old, new = (
        dict(codes(loader.source_to_code(text.encode(), place)))
        for text in ((ROOT / mutant.module).read_text(encoding="utf-8"), mutant.source)
    )
    other = {(its.co_qualname, its.co_firstlineno): new[key] for key, its in old.items() if key in new}
    gc.unfreeze()
    for its in gc.get_objects():
        if type(its) is FunctionType and its.__code__.co_filename == place:
            code = other.get((its.__code__.co_qualname, its.__code__.co_firstlineno), its.__code__)
            if len(code.co_freevars) == len(its.__code__.co_freevars):
                its.__code__ = code


def memories() -> list[functools._lru_cache_wrapper]:
    """All that our own code remembers of earlier calls. (isinstance would ask each object, and some warn.)"""
    gc.unfreeze()
    ours = ("posenc_lib", "posenc_checks", "bookkit", "tests")
    kept = [its for its in gc.get_objects() if type(its) is functools._lru_cache_wrapper]
    return [its for its in kept if (getattr(its, "__module__", None) or "").partition(".")[0] in ours]
