"""Is my own code right? Checks of a reader's rotary function, bias, buckets or table, which name what is wrong."""

from posenc_lib.checks.bias import check_bias
from posenc_lib.checks.bucket import check_bucket
from posenc_lib.checks.port import compare
from posenc_lib.checks.recorded import compare_recorded
from posenc_lib.checks.report import Finding, Property, Report
from posenc_lib.checks.rotary import check_rotary
from posenc_lib.checks.table import check_table
from posenc_lib.checks.window import check_window

__all__ = [
    "Finding",
    "Property",
    "Report",
    "check_bias",
    "check_bucket",
    "check_rotary",
    "check_table",
    "check_window",
    "compare",
    "compare_recorded",
]
