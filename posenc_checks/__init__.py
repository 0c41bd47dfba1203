"""Is my own code right? Checks of a reader's rotary function, bias, buckets or table, which name what is wrong."""

from posenc_checks.bias import check_bias
from posenc_checks.bucket import check_bucket
from posenc_checks.port import compare
from posenc_checks.recorded import compare_recorded
from posenc_checks.report import Finding, Property, Report
from posenc_checks.rotary import check_rotary
from posenc_checks.table import check_table
from posenc_checks.window import check_window

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
