"""For a while: the old names of the rules in `posenc_lib.border`, until every module declares its border."""

from posenc_lib.border import numbers, positions, tensors
from posenc_lib.border.positions import MAX_POSITION, MAX_TOKEN, require_fitting_positions, require_one_batch  # noqa
from posenc_lib.border.tensors import WIDE, broadcasts, is_integer  # noqa
from posenc_lib.border.values import can_decide, readable, require_finite_values, require_readable, require_values  # noqa

MAX_NUMBERS = 2**28


def _each(rule):
    def old(**given):
        for name, x in given.items():
            rule(name, x)

    return old


require_number, require_finite, require_positive = map(_each, (numbers.number, numbers.finite, numbers.positive))
require_flag, require_function = _each(numbers.flag), _each(numbers.function)


def require_whole(*, least=None, most=None, **given):
    _each(numbers.whole(least, most))(**given)


def require_tensor(*, axes=0, **given):
    _each(tensors.tensor(axes))(**given)


def require_floating(*, axes=0, **given):
    _each(tensors.content(axes))(**given)


def require_wide(axes=0, **given):
    _each(tensors.wide(axes))(**given)


def require_base(base):
    numbers.base("base", base)


def require_even(d):
    numbers.even("their number", d)


def require_one_of(name, given, known):
    if given not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {given!r}")


def require_device(device):
    numbers.device("device", device)


def require_float_dtype(dtype, what):
    numbers.float_dtype("dtype", dtype)


def require_positions(given, name="positions"):
    positions.places(name, given)


def integers(x, why, name="positions"):
    return positions.counted(why)(name, x)


def require_tokens(tokens, n):
    return positions.within(n)("tokens", tokens)


def require_freqs(freqs):
    tensors.freqs("freqs", freqs)


def require_layout(layout):
    require_one_of("layout", layout, ("interleaved", "half"))
