"""Which tests look at a module: those of its chapter, and for the others those that are named here."""

from __future__ import annotations

from collections import defaultdict

from tools.book import BOOK, ROOT
from tools.book.pages import chapter_of

# Modules that no chapter is about, and who looks at them. The first that fits counts.
LOOKED_AT_BY = {
    "posenc_lib/border": ["tests/border", "tests/test_positions.py", "tests/test_pairs.py"],
    "posenc_lib/released": ["tests/practice/settings", "tests/extension/longrope", "tests/checks/test_doctor.py"],
    "posenc_lib/transformer": ["tests/foundations", "tests/test_transformer.py", "tests/test_layers.py"],
    "posenc_lib/pairs.py": ["tests/test_pairs.py", "tests/rotary/rotary", "tests/absolute/sinusoidal"],
    "posenc_lib/relative/reversed": ["tests/relative/distance"],
    "posenc_lib/trees": ["tests/practice/drafts"],
    "posenc_lib/shapes/_longer": ["tests/shapes/generators"],
    "posenc_lib/extension/streams": ["tests/extension/windows"],
    "posenc_lib/extension/mapped": ["tests/extension/windows"],
    "posenc_lib/rotary/proportional": ["tests/rotary/in_practice"],
    "posenc_lib/rotary/fourier": ["tests/rotary/variations"],
    "posenc_lib/rotary/_polar": ["tests/rotary/variations"],
    "posenc_lib/rotary/fused": ["tests/practice/fused_kernels"],
    "posenc_lib/rotary/_vision": ["tests/rotary/axes"],
    "posenc_lib/positions": ["tests/test_positions.py"],
    "posenc_lib": ["tests/test_attention.py", "tests/test_grouped_heads.py", "tests/test_masks.py"],
    "posenc_checks": ["tests/checks"],
    "bookkit/derivation": ["tests/bookkit/derivation"],
}


def tests_of(module: str) -> tuple[str, ...]:
    folder = BOOK.tests_of(chapter_of(module.removesuffix(".py").replace("/", ".")))
    if folder.is_dir():
        return (str(folder.relative_to(ROOT)),)
    return tuple(next(tests for part, tests in LOOKED_AT_BY.items() if module.startswith(part)))


def together(places: list[str]) -> list[list[str]]:
    """The modules at these places, by their tests."""
    by_tests: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for place in places:
        whole = ROOT / place
        for file in sorted(whole.rglob("*.py")) if whole.is_dir() else [whole]:
            module = file.relative_to(ROOT).as_posix()
            by_tests[tests_of(module)].append(module)
    return list(by_tests.values())


def place_of(name: str) -> str:
    """`relative/alibi` is a chapter's module; anything else is a file or a folder."""
    module = BOOK.module_of(name)
    return module.relative_to(ROOT).as_posix() if module else name
