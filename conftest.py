"""pytest takes the library's files one by one, for the examples in their docstrings: before that it is imported whole.

Else pytest would make modules anew, and put some in the place of functions of the same name, as `sinusoidal`.
"""

from pathlib import Path

pytest_plugins = ["tests.support.kept"]


def pytest_collect_file(file_path: Path) -> None:
    if "posenc_lib" in file_path.parts:
        import posenc_lib  # noqa: F401  (not above: it takes a second, and types are checked in what comes later)
