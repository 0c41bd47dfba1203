"""Is my own code right? Checks of a reader's rotary function, bias, buckets or table, which name what is wrong."""

from posenc_lib.checks.bias import check_bias
from posenc_lib.checks.bucket import check_bucket, check_window
from posenc_lib.checks.report import Finding, Property, Report
from posenc_lib.checks.rotary import check_rotary
from posenc_lib.checks.table import check_table

__all__ = [
    "Finding",
    "Property",
    "Report",
    "check_bias",
    "check_bucket",
    "check_rotary",
    "check_table",
    "check_window",
]
