"""Tables of sines and cosines: the dialect, and what is wrong in every one of them."""

from __future__ import annotations

from collections.abc import Iterator

from posenc_checks.reading.frequencies import number
from posenc_checks.reading.tables import Table
from posenc_checks.report.found import Fact, Fault, Finding, Property, Unreadable, github
from posenc_checks.rules.driver import rule
from posenc_checks.rules.safety import NAN

# fmt: off
TABLE_TRANSPOSED = Fault(
    "table-transposed", "positions run along the columns", "the shape [n, d]", page="absolute/sinusoidal"
)
TABLE_ALL_SINES = Fault(
    "table-all-sines", "all features are sines", "the features that should hold the cosines",
    page="absolute/sinusoidal", claim="sinusoidal.shift"
)
TABLE_COS_EXPONENT = Fault(
    "table-cos-exponent", "each cosine has a frequency of its own, so that no matrix shifts the table",
    "the exponent of the cosines: 2i/d, as for the sine beside it", page="absolute/sinusoidal",
    claim="sinusoidal.shared-exponent", thread=github("SamLynnEvans/Transformer/issues/25")
)
TABLE_EXPONENT_DOUBLED = Fault(
    "table-exponent-doubled", "the exponent is twice as large",
    "2 * arange(0, d, 2) / d: the factor 2 is there already", page="absolute/sinusoidal",
    thread=github("SamLynnEvans/Transformer/issues/25")
)
TABLE_EXPONENT_HALVED = Fault(
    "table-exponent-halved", "the exponent is half as large", "arange(0, d, 2) / d", page="absolute/sinusoidal"
)
TABLE_BASE = Fault(
    "table-base", "the frequencies have another base", "10000", page="absolute/sinusoidal",
    thread=github("maxjcohen/transformer/issues/62")
)
TABLE_FROM_1 = Fault(
    "table-from-1", "positions are counted from 1", "arange(1, n + 1), or a padding row", page="absolute/sinusoidal"
)
TABLE_LAYOUT = Fault(
    "table-layout", "sines and cosines are arranged in another way", "stack against cat", page="absolute/sinusoidal",
    thread=github("allenai/allennlp/issues/2993")
)
TABLE_DIALECT = Fault(
    "table-dialect",
    "the dialect of tensor2tensor, in which the last frequency is 1/base, or the paper's in its place",
    "half_dim - 1 in the exponent", page="absolute/sinusoidal"
)
TABLE_HALF = Fault(
    "table-half", "angles are rounded to half precision", "the dtype of the positions", page="absolute/sinusoidal"
)
TABLE_REVERSED = Fault(
    "table-reversed", "fast and slow pairs are exchanged", "the sign of the exponent", page="absolute/sinusoidal"
)
# fmt: on

EXPONENTS = {
    "i/(d/2 - 1)": TABLE_DIALECT,
    "4i/d": TABLE_EXPONENT_DOUBLED,
    "i/d": TABLE_EXPONENT_HALVED,
    "2(d/2 - 1 - i)/d": TABLE_REVERSED,
}
SHOWN = "position 1"


@rule()
def holds_numbers(table: Table) -> Iterator[Finding]:
    bad = ~table.out.isfinite()
    if bad.any():
        yield Finding(NAN, f"{int(bad.sum())} of {bad.numel()} numbers", f"shape {list(bad.shape)}")


@rule(needs=["holds_numbers"])
def is_known(table: Table) -> Iterator[Unreadable]:
    if table.settings is None:
        yield Unreadable(
            f"it is no table of sines and cosines that is known here: learned, or scaled? Its shape is "
            f"{list(table.out.shape)}; needed are 4 positions or more, and an even number of features"
        )


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
    elif settings.half:
        yield Finding(TABLE_HALF, "the angles are numbers of bfloat16", SHOWN)
    else:
        yield Property("sinusoidal.shift", "each sine has its cosine, so that a matrix shifts the table", True, "")


@rule(needs=["is_known"])
def has_the_settings(table: Table) -> Iterator[Finding]:
    settings = table.settings
    for name, fault, got, wanted in (
        ("base", TABLE_BASE, settings.base, table.base),
        ("layout", TABLE_LAYOUT, settings.layout, table.layout),
        ("first", TABLE_FROM_1, settings.first, table.first),
    ):
        if wanted is not None and wanted != got:
            yield Finding(fault, f"{name}: {got}, not {wanted}", SHOWN)
    wanted = table.exponent or ("2i/d" if table.base else None)
    if wanted is not None and wanted != settings.exponent:
        fault = EXPONENTS.get(settings.exponent, TABLE_DIALECT)
        yield Finding(fault, f"the exponent is {settings.exponent}, not {wanted}", SHOWN)
