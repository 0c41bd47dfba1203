"""Is my own code right? Checks of a reader's rotary function, bias, buckets or table, which name what is wrong."""

from posenc_lib.checks.report import Finding, Property, Report
from posenc_lib.checks.rotary import check_rotary

__all__ = ["Finding", "Property", "Report", "check_rotary"]
