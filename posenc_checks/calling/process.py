"""Work in a process of its own: it can neither end ours nor go on without end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import torch

from posenc_checks.calling.names import CallError

DAY = 86_400


def in_a_process(work: Callable[..., Any], *given: Any, limit: float) -> Any:
    """What `work` returns. Raises `CallError` where it has not returned after so many seconds, or never will."""
    context = get_context("fork" if sys.platform == "linux" else "spawn")  # a fork need not import torch again
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, work, *given))
    process.start()
    theirs.close()
    try:
        if not ours.poll(min(limit, DAY)):
            raise CallError(
                f"the code was stopped after {limit:g} seconds, which --limit changes; is there an endless loop?"
            )
        return ours.recv()
    except EOFError:
        process.join()
        raise CallError(f"the code ended the program before the report, with exit code {process.exitcode}") from None
    finally:
        process.kill()
        process.join()


def _work(theirs: Connection, work: Callable[..., Any], *given: Any) -> None:
    torch.set_num_threads(1)  # the threads of a process do not survive its fork
    theirs.send(work(*given))
