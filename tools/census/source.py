"""What the source of a model family shows, parsed and not imported: which encodings it calls, where it rotates."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

# A family has an encoding if one of these is called in its source, by its whole name …
ROTATES = r"_?apply_\w*(rotary|rope)\w*|rotate_queries_or_keys"
CALLED = {
    "rotary": ROTATES,
    "T5 buckets": r"_?relative_position_bucket",
    "ALiBi": r"build_\w*alibi\w*",
    "relative shift": r"_?rel(ative)?_shift(_bnij)?",
    "disentangled": r"disentangled_att\w*_bias",
    "convolution": r"\w*PositionalConv\w*",
    "sinusoid": r"\w*Sinusoid\w*|\w*_sinusoid\w*|sinusoid\w*|\w*SinePosition\w*|\w*sincos\w*",
    "learned": r"\w*Learned(Position|Absolute)\w*|\w*PositionEmbeddingLearned",
}
# … or if a module holds one of these: self.<name> = nn.Embedding(…), nn.Parameter(…) or nn.Sequential(…).
HELD = {
    "window table": r"relative_position_bias_table|continuous_position_bias_mlp",
    "learned": r"(?!.*(rel_|relative_|alpha))(\w*pos(ition|itional)?_?emb\w*|wpe|\w*positions?_table)",
}
HOLDERS = ("Embedding", "Parameter", "Sequential")
NORM = r"q_norm|query_norm|q_layernorm|query_layernorm|qk_norm|q_ln|norm_q"
# Conditions of a rotation that tell layers apart; others are about something else, such as a cache.
CONDITIONS = {
    r".*\bis_?local|.*sliding.*": "with a window",
    r".*use_rope.*": "as listed",
    r"position_embeddings is not None": "where angles are given",
}


def folder() -> Path:
    """Where the models are, found without importing transformers."""
    (package,) = importlib.util.find_spec("transformers").submodule_search_locations
    return Path(package, "models")


def families() -> list[str]:
    return sorted(path.name for path in folder().iterdir() if (path / f"modeling_{path.name}.py").is_file())


@lru_cache(maxsize=1)
def nodes(family: str) -> tuple[ast.AST, ...]:
    source = (folder() / family / f"modeling_{family}.py").read_text(encoding="utf-8")
    return tuple(ast.walk(ast.parse(source)))


def called(node: ast.AST) -> str:
    """`c` for the call `a.b.c(…)`, nothing for what is no call."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def held(node: ast.AST) -> str:
    """`name` for self.name = nn.Embedding(…), and likewise."""
    is_one = isinstance(node, ast.Assign) and called(node.value) in HOLDERS
    return last_name(node.targets[0]) if is_one else ""


def encodings(family: str) -> list[str]:
    """Those that are called or held; a function that is only defined does not count."""
    pairs = ((CALLED, {called(node) for node in nodes(family)}), (HELD, {held(node) for node in nodes(family)}))
    found = [kind for kinds, names in pairs for kind in kinds if any(re.fullmatch(kinds[kind], n) for n in names)]
    return list(dict.fromkeys(found))


def conditions(family: str) -> set[str]:
    """In which layers queries are rotated, where the source asks before it does."""
    tests = {
        ast.unparse(node.test)
        for node in nodes(family)
        if isinstance(node, ast.If) and any(re.fullmatch(ROTATES, called(each)) for each in inside(node.body))
    }
    return {words for pattern, words in CONDITIONS.items() if any(re.fullmatch(pattern, test) for test in tests)}


def inside(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from ast.walk(statement)


@lru_cache(maxsize=1)
def norm(family: str) -> str:
    """Whether one function norms queries before or after it rotates them."""
    orders = set()
    for function in (node for node in nodes(family) if isinstance(node, ast.FunctionDef)):
        lines = {"norm": [], "rotation": []}
        for call in ast.walk(function):
            for kind, pattern in (("norm", NORM), ("rotation", ROTATES)):
                if re.fullmatch(pattern, called(call)):
                    lines[kind].append(call.lineno)
        if lines["norm"] and lines["rotation"]:
            orders.add("before" if min(lines["norm"]) <= min(lines["rotation"]) else "after")
    return " and ".join(sorted(orders))
