"""The doctor for positions: what each layer of a released model does, by its configuration and by a tiny model."""

from posenc_checks.doctor.probe import disagreements, probed
from posenc_checks.doctor.told import alike, as_json, told
from posenc_checks.doctor.watch import watch

__all__ = ["alike", "as_json", "disagreements", "probed", "told", "watch"]
