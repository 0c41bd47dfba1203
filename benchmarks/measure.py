"""What every benchmark needs: times that take turns, the peak of memory, and a table with the machine in it."""

from __future__ import annotations

import csv
import ctypes
import datetime
import importlib.metadata
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.processor import capability
from tools.machine import commit, processor

# torch is imported within the functions: `paths_without_space` must come before it.

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("torch", "numpy", "transformers", "x-transformers", "rotary-embedding-torch")
MEASURED = ("method", "form", "n", "heads", "features", "dtype", "threads", "median", "least", "mib")
MACHINE = ("processor", "capability", "cores", "memory_gib", "gpu", "date", "commit", "python", *PACKAGES)
Row = dict[str, object]


@contextmanager
def paths_without_space() -> Iterator[None]:
    """Python's search path, each folder with a space in its name replaced by a link; to be called before torch is.

    torch's compiler writes the path of torch into commands, without quotes. What it compiled is removed with the links.
    """
    if not any(" " in entry for entry in sys.path):
        yield
        return
    with TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(folder, "compiled"))
        for i, entry in enumerate(sys.path):
            if " " in entry:
                Path(folder, str(i)).symlink_to(Path(entry).absolute())
                sys.path[i] = str(Path(folder, str(i)))
        yield


def device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def clock(threads: int) -> Callable[[], float]:
    """A single thread is timed by the processor time that it used: a busy machine disturbs that least."""
    from torch.utils.benchmark.utils.timer import timer as wall_clock  # waits for the GPU

    return time.thread_time if threads == 1 and device() == "cpu" else wall_clock


def ratios(functions: dict[str, Callable[[], object]], base: str, *, threads: int, rounds: int) -> dict[str, Row]:
    """Median and least of each function's time over that of `base` in the same round."""
    times = turns(functions, threads=threads, rounds=rounds)
    return {name: summary(over(times, name, base)) for name in functions}


def turns(functions: dict[str, Callable[[], object]], *, threads: int, rounds: int) -> list[dict[str, float]]:
    """Each function's seconds, round by round; in a round all take turns."""
    import torch

    torch.set_num_threads(threads)
    now = clock(threads)
    for function in functions.values():
        function(), function()  # compile, and fill the allocator's pools
    return [{name: seconds(function, now) for name, function in functions.items()} for _ in range(rounds)]


def over(times: list[dict[str, float]], name: str, base: str) -> list[float]:
    return [turn[name] / turn[base] for turn in times]


def seconds(function: Callable[[], object], now: Callable[[], float]) -> float:
    start = now()
    result = function()
    end = now()
    del result  # to free it is no part of the work
    return end - start


def summary(values: list[float]) -> Row:
    return {"median": round(statistics.median(values), 3), "least": round(min(values), 3)}


def peak_mib(function: Callable[[], object]) -> float | None:
    """The memory that one call needs at its peak, beyond what is held before it; None where we cannot ask."""
    import torch

    if device() == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        function()
        return round((torch.cuda.max_memory_allocated() - before) / 2**20, 1)
    if not Path("/proc/self/clear_refs").exists():
        return None
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before goes back to the system,
    Path("/proc/self/clear_refs").write_text("5")  # and the peak begins anew
    before = resident_mib("VmRSS")
    function()
    return round(resident_mib("VmHWM") - before, 1)


def resident_mib(name: str) -> float:
    """Linux's count of the memory of this process: `VmRSS` now, `VmHWM` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 2**10


def machine() -> Row:
    """What a number depends on besides the code; no names of hosts or folders."""
    import torch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor(),
        "capability": capability(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory),
        "gpu": torch.cuda.get_device_name() if device() == "cuda" else "none",
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "python": platform.python_version(),
    } | {name: importlib.metadata.version(name) for name in PACKAGES}


def write(path: Path, rows: Iterable[Row]) -> None:
    """One row a case, and in each the machine: a row can be read alone."""
    rows, here = list(rows), machine()
    more = {name: None for row in rows for name in row if name not in MEASURED}  # of this table alone
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*MEASURED, *more, *MACHINE], lineterminator="\n")
        table.writeheader()
        table.writerows(row | here for row in rows)
