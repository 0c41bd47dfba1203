"""python -m posenc_checks file.py:rope --layout half: the exit code is 0 if right, 1 if wrong, 2 if unknown."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from posenc_checks import check_bias, check_bucket, check_rotary, check_table, check_window, compare
from posenc_checks.calling.loading import KINDS, guess_kind, load
from posenc_checks.calling.names import first_line_of
from posenc_checks.calling.process import in_a_process
from posenc_checks.calling.released import RELEASED, released
from posenc_checks.report.found import Unknown
from posenc_checks.report.report import Report
from posenc_lib.border import positive

CHECKS: dict[str, Callable[..., Report]] = {
    "rotary": check_rotary, "bias": check_bias, "bucket": check_bucket, "window": check_window, "table": check_table,
}  # fmt: skip
OPTIONS = {
    "call": (str, "the arguments in their order, as in 'q k cos sin' or 'heads n'"),
    "axes": (str, "the axes of the features, as in bhnd or bnhd"),
    "d": (int, "the number of features of a head, or of a table"),
    "groups": (int, "how many queries share a key"),
    "layout": (str, "interleaved or half"),
    "sense": (str, "counterclockwise or clockwise"),
    "base": (float, "the base of the frequencies, such as 10000"),
    "d-rotated": (int, "how many features are rotated"),
    "first": (int, "the first position, which is left as it is"),
    "factor": (float, "the attention factor on each of q and k"),
    "config": (str, "config.json of a released model: its frequencies, factor and width are expected"),
    "layer-type": (str, "the layers of the configuration, where they differ, such as full_attention"),
    "heads": (int, "how many heads the model has"),
    "buckets": (int, "how many buckets there are in all"),
    "max-distance": (int, "roughly where the last bucket begins"),
    "distance": (str, "'key - query' or 'query - key'"),
    "order": (str, "swin, if the window's table is one of Swin's"),
    "rows": (int, "how many rows the table of a window has"),
    "exponent": (str, "'2i/d' or 'i/(d/2 - 1)'"),
}
RUNS = "{} is run, in a process of its own and for {:g} seconds at most: whatever it does to your files, it does"


def main(arguments: list[str] | None = None) -> int:
    given = vars(_parser().parse_args(arguments))
    as_json, limit = given.pop("json"), given.pop("limit")
    sys.stdout.reconfigure(errors="replace")  # a terminal may lack ✗ and ≅
    try:
        print(RUNS.format(given["target"], positive("limit", limit)), file=sys.stderr)
        report = in_a_process(_report, given, limit=limit)
    except ValueError as error:
        report = _unknown(given, str(error))
    except KeyboardInterrupt:
        report = _unknown(given, "the check was interrupted")
    print(report.json() if as_json else report.text(colour=sys.stdout.isatty()))
    return {True: 0, False: 1, None: 2}[report.ok]


def _report(given: dict[str, Any]) -> Report:
    try:
        with redirect_stdout(sys.stderr):  # what the reader's code prints is no part of the report
            return _check(given)
    except (ValueError, TypeError) as error:  # ours, which say what is needed
        return _unknown(given, str(error))
    except (SystemExit, KeyboardInterrupt) as error:
        return _unknown(given, f"the code ended the program: {first_line_of(error)}")
    except BaseException as error:  # the reader's code may raise anything, where we read what it made too
        return _unknown(given, f"reading what the code made ended in {first_line_of(error)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m posenc_checks", description=__doc__)
    parser.add_argument("target", help="module:function or path/file.py:function")
    parser.add_argument("--kind", choices=KINDS, help="what is checked; if left out, the names of its arguments tell")
    parser.add_argument("--table", help="module:function that makes the cosines and sines it takes")
    parser.add_argument("--against", help="module:function that should do the same: compare the two")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds after which it is stopped (default: 120)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--bidirectional", action=argparse.BooleanOptionalAction, default=None)
    for name, (kind, about) in OPTIONS.items():
        parser.add_argument(f"--{name}", type=kind, help=about)
    return parser


def _unknown(given: dict[str, Any], why: str) -> Report:
    print(f"{given['target']}: {why}", file=sys.stderr)
    return Report.of(given["target"], given["kind"] or "unknown", [Unknown(why)])


def _check(given: dict[str, Any]) -> Report:
    function = load(given["target"])
    told = {name: value for name, value in given.items() if value is not None}
    told = {name: value for name, value in told.items() if name not in ("target", "kind", "against")}
    if "table" in told:
        told["table"] = load(told["table"])
    if given["against"]:
        return compare(function, load(given["against"]), told=told)
    kind = given["kind"] or guess_kind(function)
    known = {*inspect.signature(CHECKS[kind]).parameters} | ({*RELEASED} if kind == "rotary" else set())
    if unknown := [name for name in told if name not in known]:
        raise ValueError(f"the check of a {kind} takes no {', '.join(unknown)}; should --kind be another?")
    report = CHECKS[kind](function, **released(told))
    if given["kind"]:
        return report
    guessed = {"taken for": f"a {kind}, by its arguments; --kind overrides this"}
    return replace(report, facts=guessed | report.facts)


if __name__ == "__main__":
    sys.exit(main())
