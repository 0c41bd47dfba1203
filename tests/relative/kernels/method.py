"""KERPLE, Sandwich and BAM, as the contract takes them."""

from posenc_lib import Slots, geometric_freqs
from posenc_lib.relative import Bam, Kerple, Sandwich, log_kernel, power_kernel
from tests.contract.method import D, H, Method

METHODS = {
    "kernels": lambda: Method((Kerple, log_kernel), relative=True, slots=Slots(bias=Kerple(H))),
    "kernels power": lambda: Method((Kerple, power_kernel), relative=True, slots=Slots(bias=Kerple(H, "power"))),
    "kernels sandwich": lambda: Method((Sandwich,), relative=True, slots=Slots(bias=Sandwich(geometric_freqs(D), H))),
    "kernels bam": lambda: Method((Bam,), relative=True, slots=Slots(bias=Bam(H))),
}
