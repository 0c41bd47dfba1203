"""The checks of a reader's code have a package of their own, `posenc_checks`; under this name they are still found."""

from posenc_checks import *  # noqa: F403
from posenc_checks import __all__ as __all__
