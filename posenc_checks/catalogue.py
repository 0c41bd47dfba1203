"""The faults that the checker names: what each one is, the line to look at, and where it is explained."""

from posenc_checks.fault import Fault
from posenc_checks.faults_rotary import ALWAYS
from posenc_checks.faults_scores import BIASES, TABLES
from posenc_checks.faults_settings import TOLD

PORT = {"differ": Fault("the two do different things", "what stands first in the list", "practice/check-your-own")}

FAULTS = ALWAYS | TOLD | BIASES | TABLES | PORT
