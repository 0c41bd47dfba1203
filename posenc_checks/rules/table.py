"""Tables of sines and cosines: the dialect, and what is wrong in every one of them."""

from __future__ import annotations

from collections.abc import Iterator

from posenc_checks.reading.frequencies import number
from posenc_checks.reading.table_parts import Part, part_of, rounded_from_the_start, unmixed
from posenc_checks.reading.tables import Table
from posenc_checks.reading.words import span
from posenc_checks.report.found import Fact, Finding, Property, Unreadable
from posenc_checks.rules.driver import rule
from posenc_checks.rules.rounding import TABLE_ENDS
from posenc_checks.rules.safety import NAN
from posenc_checks.rules.table_faults import (
    TABLE_ALL_COSINES,
    TABLE_ALL_SINES,
    TABLE_AMPLITUDES,
    TABLE_BASE,
    TABLE_COS_EXPONENT,
    TABLE_DIALECT,
    TABLE_EXPONENT_DOUBLED,
    TABLE_EXPONENT_HALVED,
    TABLE_FROM_1,
    TABLE_HALF,
    TABLE_LAYOUT,
    TABLE_MIXED,
    TABLE_OVERWRITTEN,
    TABLE_REVERSED,
    TABLE_RISING,
    TABLE_TRANSPOSED,
    TABLE_UNPAIRED,
    TABLE_ZEROS,
)

EXPONENTS = {
    "i/(d/2 - 1)": TABLE_DIALECT,
    "4i/d": TABLE_EXPONENT_DOUBLED,
    "i/d": TABLE_EXPONENT_HALVED,
    "2(d/2 - 1 - i)/d": TABLE_REVERSED,
    "-2i/d": TABLE_RISING,
}
SHOWN = "position 1"


@rule()
def holds_numbers(table: Table) -> Iterator[Finding]:
    bad = ~table.out.isfinite()
    if bad.any():
        yield Finding(NAN, f"{int(bad.sum())} of {bad.numel()} numbers", f"shape {list(bad.shape)}")


@rule(needs=["holds_numbers"])
def is_known(table: Table) -> Iterator[Finding | Unreadable]:
    if table.settings is not None:
        return
    if unmixed(table):
        yield Finding(TABLE_MIXED, "the numbers match those of a table 1 to 1, in other places", "position 0")
    elif half := rounded_from_the_start(table):
        yield Finding(
            TABLE_HALF, f"at position 1 all angles are {half} numbers, and far rows are no sines of theirs", SHOWN
        )
    elif part := part_of(table):
        yield _partly(part)
    else:
        yield Unreadable(
            f"this is no table of sines and cosines that is known here: is it learned, or scaled? Its shape is "
            f"{list(table.out.shape)}; it needs 4 positions or more, and an even number of features"
        )


def _partly(part: Part) -> Finding | Unreadable:
    """What is wrong with the features, or the rows, that are not those of the others."""
    shown = f"{part.what} {span(part.wrong.tolist())}"
    if part.what == "rows":
        kind = "all zeros: right for padding, if no position uses it" if part.zeros else "not those of the others"
        return Unreadable(f"{shown} are {kind}. Check the table without them")
    if part.zeros:
        return Finding(TABLE_ZEROS, f"{shown} are 0", SHOWN)
    if part.times is not None:
        return Finding(TABLE_AMPLITUDES, f"{shown} are multiplied by {part.times:.4g}", "position 0")
    if part.whole_kind:
        return Finding(TABLE_UNPAIRED, f"the {part.whole_kind} alone are wrong, {shown}", SHOWN)
    return Unreadable(f"{shown} are not those of a table of sines and cosines, as the others are")


@rule(needs=["is_known"])
def has_rows_of_positions(table: Table) -> Iterator[Finding]:
    if table.turned:
        yield Finding(TABLE_TRANSPOSED, f"the shape is {list(table.out.shape)}", SHOWN)


@rule(needs=["is_known"])
def describes_settings(table: Table) -> Iterator[Fact]:
    settings = table.settings
    yield Fact("layout", settings.layout)
    yield Fact("frequencies", f"base {number(settings.base)}, exponent {settings.exponent}")
    yield Fact("first position", settings.first)


@rule(needs=["is_known"])
def pairs_sines_with_cosines(table: Table) -> Iterator[Finding | Property]:
    settings = table.settings
    if settings.kind == "own":
        yield Finding(TABLE_COS_EXPONENT, "the exponent of the cosines is (2i + 1)/d", SHOWN)
    elif settings.kind == "sines":
        yield Finding(TABLE_ALL_SINES, "position 0 is all zeros", "position 0")
    elif settings.kind == "cosines":
        yield Finding(TABLE_ALL_COSINES, "all numbers of position 0 are 1", "position 0")
    elif settings.kind == "of sines":
        yield Finding(TABLE_OVERWRITTEN, "they are cos(sin(angle)), which is 0.54 or more", SHOWN)
    elif settings.half:
        yield Finding(TABLE_HALF, f"{settings.half} give all of the first 40 rows", SHOWN)
    else:
        yield Property("sinusoidal.shift", "each sine has its cosine, so that a matrix shifts the table", True, "")


@rule(needs=["pairs_sines_with_cosines"])
def goes_on(table: Table) -> Iterator[Finding]:
    """As it began, in rows far down."""
    if not len(table.wrong_rows):
        return
    shown = f"position {int(table.wrong_rows[0]) + table.settings.first}"
    if table.far:
        yield Finding(TABLE_HALF, f"{table.far} give {max(table.out.shape)} rows", shown)
    else:
        yield Finding(TABLE_ENDS, f"{len(table.wrong_rows)} rows differ from what the first 40 tell", shown)


@rule(needs=["is_known"])
def has_the_settings(table: Table) -> Iterator[Finding]:
    settings = table.settings
    for name, fault, got, wanted in (
        ("base", TABLE_BASE, settings.base, table.base),
        ("layout", TABLE_LAYOUT, settings.layout, table.layout),
        ("first", TABLE_FROM_1, settings.first, table.first),
    ):
        if wanted is not None and wanted != got:
            got, wanted = (number(each) if name == "base" else each for each in (got, wanted))
            yield Finding(fault, f"{name}: {got}, not {wanted}", SHOWN)
    wanted = table.exponent or ("2i/d" if table.base else None)
    if wanted is not None and wanted != settings.exponent:
        fault = EXPONENTS.get(settings.exponent, TABLE_DIALECT)
        yield Finding(fault, f"the exponent is {settings.exponent}, not {wanted}", SHOWN)
