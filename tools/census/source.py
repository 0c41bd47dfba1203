"""What the source of a model family shows, parsed and not imported: which encodings it calls, where it rotates."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.census.switches import Condition, Place, on, other_names, places

# A family has an encoding if one of these is called in its source, by its whole name …
ROTATES = r"_?apply_\w*(rotary|rope)\w*|rotate_queries_or_keys"
CALLED = {
    "rotary": ROTATES,
    "T5 buckets": r"_?(relative_)?position_bucket|compute_relative_buckets",
    "ALiBi": r"build_\w*alibi\w*",
    "Transformer-XL's scores": r"_?rel(ative)?_?shift(_bnij|_gather)?|shift_relative_position_tensor"
    r"|_apply_relative_position_encoding",
    "disentangled": r"disentangled_att\w*_bias",
    "convolution": r"\w*PositionalConv\w*",
    "sinusoid": r"\w*Sinusoid\w*|\w*_sinusoid\w*|sinusoid\w*|\w*SinePosition\w*|\w*PositionEmbeddingSine|\w*sincos\w*",
    "learned": r"\w*Learned(Position|Absolute)\w*|\w*PositionEmbeddingLearned|AxialPositionEmbeddings",
}
# … or if a module holds one of these: self.<name> = nn.Embedding(…) or one of the other holders.
HELD = {
    "window table": r"relative_position_bias_table|continuous_position_bias_mlp|rpb|attention_biases",
    "Shaw's keys": r"distance_embedding|emb_rel_k|pe_k|rel_pos_(h|emb)|rel_logits_proj",
    "learned": r"(?!.*(rel_|relative_|alpha|class_pos_emb$))"
    r"(\w*pos(ition|itional)?_?emb\w*|wpe|\w*positions?_table|positions_embed|embed_positions)",
}
HOLDERS = ("Embedding", "Parameter", "Sequential", "QuantEmbedding", "InklingRelativeLogits")
KINDS = tuple(kind for kind in CALLED if kind not in HELD) + tuple(HELD)
# Classes of positions that neither rotate nor are relative, whatever else they are called.
POSITIONS = r"(?!.*(Rotary|Rope|Rel|rotary|Sinusoid))\w*[Pp]osition(al)?_?[Ee](mbed|ncoding)\w*"
ANGLES = r"\w*Rotary\w*Embedding"  # what makes the angles; a rotation without any is none
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


def encodings(family: str, configs: Iterable[Any] = ()) -> list[str]:
    """Those that are called or held where such configurations lead; a function that is only defined does not count.

    Without configurations: all that the source can do.
    """
    configs, names = list(configs), other_names(nodes(family)[0])

    def reached(place: Place) -> bool:
        """Its own conditions are open, and those of a call of the class that it stands in."""
        makers = made_at(family).get(place.inside, [()])
        return on(place.conditions, configs, names) and any(on(maker, configs, names) for maker in makers)

    found = {kind for kind, places in found_in(family).items() if any(reached(place) for place in places)}
    angles = [maker for name, makers in made_at(family).items() if re.fullmatch(ANGLES, name) for maker in makers]
    if angles and not any(on(maker, configs, names) for maker in angles):
        found.discard("rotary")
    return [kind for kind in KINDS if kind in found]


@lru_cache(maxsize=1)
def found_in(family: str) -> dict[str, list[Place]]:
    """For each encoding the places where it is called or held."""
    own = own_classes(family)
    found: dict[str, list[Place]] = {}
    for place in places(nodes(family)[0]):
        for kinds, name in ((CALLED, called(place.node)), (HELD, held(place.node))):
            for kind in kinds:
                if name and (re.fullmatch(kinds[kind], name) or (kinds is CALLED and own.get(name) == kind)):
                    found.setdefault(kind, []).append(place)
    return found


@lru_cache(maxsize=1)
def made_at(family: str) -> dict[str, list[tuple[Condition, ...]]]:
    """For each class of the file the conditions of its calls, where it has any."""
    calls: dict[str, list] = {}
    for place in places(nodes(family)[0]):
        calls.setdefault(called(place.node), []).append(place.conditions)
    classes = {node.name for node in nodes(family)[0].body if isinstance(node, ast.ClassDef)}
    return {name: calls[name] for name in classes & calls.keys()}


def own_classes(family: str) -> dict[str, str]:
    """What a class or function of positions is, by what it does: sines and cosines of its own, or a table."""
    kinds = {}
    for node in nodes(family)[0].body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and re.fullmatch(POSITIONS, node.name):
            inner = {called(each) for each in ast.walk(node)}
            if {"sin", "cos", "arange"} <= inner:  # without arange: features of points, as in SAM's prompts
                kinds[node.name] = "sinusoid"
            elif "Embedding" in map(last_name, getattr(node, "bases", [])):
                kinds[node.name] = "learned"
    return kinds


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
