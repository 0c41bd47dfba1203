"""Runs the tests with each error, in a process that has imported once what takes long."""

from __future__ import annotations

import io
import multiprocessing
from contextlib import redirect_stderr, redirect_stdout

from tools.mutants.looked_at import tests_of
from tools.mutants.noticing import Noticing
from tools.mutants.planting import Mutant

# What was imported before pytest came is nothing to warn of. Proofs run chapters, not modules.
QUIETLY = ["-q", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
WITHOUT = ["-p", "no:nbval", "-p", "no:cacheprovider", "--ignore-glob=*/test_proofs.py"]


def run(planted: list[Mutant], tests: tuple[str, ...]) -> list[list[str]]:
    """In this process: who notices each of them. No test may fail before anything is planted."""
    import pytest

    noticing, silent = Noticing(planted), io.StringIO()
    with redirect_stdout(silent), redirect_stderr(silent):
        pytest.main([*QUIETLY, *WITHOUT, "-m", "not browser and not compiled", *tests], [noticing])
    if noticing.failed or len(noticing.by) != len(planted):
        fails = ", ".join(sorted(noticing.failed)) or silent.getvalue()[-2000:]
        raise RuntimeError(f"{', '.join(tests)}: tests fail without any error planted: {fails}")
    return noticing.by


def rows(planted: list[Mutant]) -> list[dict]:
    """All of them in modules with the same tests. A process of its own: what one folder imports no other sees."""
    import sympy  # noqa: F401  (loaded once, for all that are forked)
    import torch  # noqa: F401
    import transformers  # noqa: F401

    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply(run, (planted, tests_of(planted[0].module)))
    rows = zip(planted, found, strict=True)
    return [{"module": its.module, "function": its.function, "change": its.change, "by": by} for its, by in rows]
