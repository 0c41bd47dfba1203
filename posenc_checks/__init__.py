"""Is my own code right? Checks of a reader's rotary function, bias, buckets or table, which name what is wrong.

    rotary  bias  bucket …   the checks: each reads, runs its table of rules, and makes one report
    rules                    one question each, beside the faults that it names
    reading                  numbers out of a reader's function
    calling                  how that function is called
    report                   what a check says

Each room imports only what stands below it.
"""

from posenc_checks.bias import check_bias
from posenc_checks.bucket import check_bucket
from posenc_checks.indexer import check_indexer
from posenc_checks.port import compare
from posenc_checks.recorded import compare_recorded
from posenc_checks.report.found import Finding, Property
from posenc_checks.report.report import Report
from posenc_checks.rotary import check_rotary
from posenc_checks.table import check_table
from posenc_checks.window import check_window

__all__ = [
    "Finding",
    "Property",
    "Report",
    "check_bias",
    "check_bucket",
    "check_indexer",
    "check_rotary",
    "check_table",
    "check_window",
    "compare",
    "compare_recorded",
]
