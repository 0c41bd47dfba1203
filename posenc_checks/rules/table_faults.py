"""The faults of tables of sines and cosines, which the rules in `table` name."""

from __future__ import annotations

from posenc_checks.report.found import Fault, github

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
TABLE_ALL_COSINES = Fault(
    "table-all-cosines", "all features are cosines", "the features that should hold the sines",
    page="absolute/sinusoidal", claim="sinusoidal.shift"
)
TABLE_OVERWRITTEN = Fault(
    "table-overwritten", "cosines are made of features that are sines already",
    "the features that are read after they are written", page="absolute/sinusoidal", claim="sinusoidal.shift"
)
TABLE_AMPLITUDES = Fault(
    "table-amplitudes", "some features are multiplied by a number, and others are not", "where the table is scaled",
    page="absolute/sinusoidal", claim="sinusoidal.shift"
)
TABLE_UNPAIRED = Fault(
    "table-unpaired", "sines and cosines are not those of the same angles, so that no matrix shifts the table",
    "the angles of the sines and of the cosines", page="absolute/sinusoidal", claim="sinusoidal.shift"
)
TABLE_ZEROS = Fault(
    "table-zeros", "some features are 0 at all positions", "where the loop over features ends",
    page="absolute/sinusoidal"
)
TABLE_MIXED = Fault(
    "table-mixed", "a row holds numbers of several positions", "cat along the features, and view or reshape after it",
    page="absolute/sinusoidal"
)
TABLE_RISING = Fault(
    "table-rising", "frequencies rise: the exponent has no minus sign", "the sign of the exponent",
    page="absolute/sinusoidal"
)
# fmt: on
