"""Good arguments for everything that the library exports, made from its signatures: a sample for each name, once.

Lengths come from the names of the axes in the annotations, and b = h, so that samples are not told from heads by their
number. Where numbers must fit one another, the `method.py` of the method says so in ARGUMENTS: the name of a function,
`Class` or `Class.method` → a list of calls, each with those arguments that are not the samples from here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import torch
from torch import Tensor, nn

from posenc_lib import Rotary, Slots, sinusoidal
from posenc_lib.relative import toeplitz_bias
from posenc_lib.relative.distance import pair_distances
from posenc_lib.transformer import Cache
from tests.contract.methods import collected
from tests.support.exported import every_name
from tests.support.weights import normal

NO_CALL = {
    "one_value": "a rule itself",
    "a_cache": "a rule itself",
    "described": "words for the repr of a module",
    "bias_at": "called by toeplitz_bias and score_mod, with distances that they have made",
}
B = H = 2
LENGTHS = {
    **dict(
        b=B,
        h=H,
        h_k=H,
        kv_heads=H,
        heads=H,
        n=4,
        n_q=4,
        n_k=6,
        n_x=4,
        n_y=6,
        n_source=4,
        d=8,
        d_v=8,
        d_model=16,
        pairs=4,
        axes=2,
    ),
    **dict(n_tokens=5, n_old=6, n_max=6, n_rows=6, rows=35, distances=9),
}
LEADING = (B, H, 4)
"""What stands before the last axes of vectors: samples, heads, tokens."""
SAMPLES = {"positions": (4,), "shape": (*LEADING[1:], 16), "tokens": (2, 4), "#tokens": (4,)}
"""Other axes that stand for any number of them; there are none where nothing is said here."""


def falling(shape: tuple[int, ...]) -> Tensor:
    """Frequencies: positive, and all different."""
    return 100.0 ** -(torch.arange(shape[-1], dtype=torch.float64) / shape[-1]).expand(shape).clone()


def counted(shape: tuple[int, ...]) -> Tensor:
    return torch.arange(shape[-1]).expand(shape).clone()


def turning(shape: tuple[int, ...]) -> Tensor:
    """Angles: positions times frequencies."""
    return torch.arange(shape[-2], dtype=torch.float64)[:, None] * falling(shape[-1:])


TENSORS: dict[str, Callable[[tuple[int, ...]], Tensor]] = {
    **dict.fromkeys(("freqs", "rates", "slopes", "future_slopes", "directions"), falling),
    **dict.fromkeys(("angles", "exponents"), turning),
    **dict.fromkeys(("tokens", "source", "target"), lambda shape: (torch.arange(8) * 3 % 5)[: shape[-1]].expand(shape)),
    "cos_sin": lambda shape: torch.stack((turning(shape[1:]).cos(), turning(shape[1:]).sin())).float(),
    "distances": lambda shape: torch.arange(6 if not shape else shape[-1]) - 3,
    "ids": lambda shape: torch.arange(shape[-2])[:, None] - torch.arange(shape[-1]),
    "weights": lambda shape: normal(*shape).float().softmax(-1),
    **dict.fromkeys(("x", "first", "second"), lambda shape: normal(*shape).float()),
    "factors": lambda shape: torch.linspace(1, 4, *shape),
    "lengths": lambda shape: torch.tensor([3, 4]),
}
FUNCTIONS: dict[str, Callable[[], Callable]] = {
    **dict.fromkeys(("bias_at",), lambda: line),
    **dict.fromkeys(("bias", "relative"), lambda: lambda m, n: toeplitz_bias(line, m, n)),
    **dict.fromkeys(("content_bias", "weights", "average", "value_bias"), lambda: line),
    **dict.fromkeys(
        ("embed", "position", "source_position", "target_position"), lambda: lambda m: sinusoidal(m, LENGTHS["d_model"])
    ),
    "transform": lambda: Rotary(falling((LENGTHS["pairs"],))),
    "factor": lambda: lambda m: 1 + m / 8,
    "ids": lambda: pair_distances,
    "field": lambda: lambda p, t: -p,
    "step": lambda: lambda p: p / 2,
}
PAIRS_OF_NUMBERS = {
    **dict(window=(3, 4), old=(3, 4), new=(2, 2), trained=(2, 2)),
    **dict(fine=(2, 4), coarse=(1, 2), old_grid=(1, 5), new_grid=(2, 3)),
}
NUMBERS: dict[str, int | float] = {
    **dict(
        h=H,
        heads=H,
        kv_heads=1,
        d=8,
        d_v=8,
        d_ff=4,
        d_model=16,
        d_rotated=4,
        axes=2,
        n=4,
        span=4,
        left=2,
        right=3,
        width=4,
    ),
    **dict(
        height=2,
        kv_heads=1,
        block=2,
        merge=2,
        n_layers=1,
        n_source_tokens=5,
        n_target_tokens=5,
        n_tokens=5,
        prefix_rows=1,
    ),
    **dict(reach=2, most_copies=1, unit=60),
    **dict(
        trained_length=16, length=15, max_position=9, max_distance=16, n_buckets=8, size=3, start=1, step=2, steps=2
    ),
    **dict(window=2, group=2, chunk=3, chunks=2, local=1, sinks=1, recent=2),
    **dict(
        base=100.0, factor=2.0, alpha=0.3, beta=8.0, slow=1.0, fast=8.0, low=1.0, high=4.0, c=0.5, k=3.5, centre=3.0
    ),
    **dict(
        dropout=0.1,
        eps=1e-6,
        exponent=8.0,
        fraction=0.5,
        gamma=0.4,
        scale=2.0,
        scale_base=512.0,
        spread=0.1,
        strength=0.5,
    ),
    **dict(tolerance=1e-3),
}
SEEDED = torch.Generator().manual_seed(0)


def line(distances: Tensor) -> Tensor:
    return -distances.abs().double() * distances.new_ones(H, *[1] * distances.ndim)


def sample(name: str, hint: Any) -> Any:
    """A good argument of this name and type."""
    hint = (
        next((part for part in get_args(hint) if part is not type(None)), hint)
        if type(None) in get_args(hint)
        else hint
    )
    if hasattr(hint, "dim_str"):
        return tensor(name, hint)
    if get_origin(hint) is Literal:
        return get_args(hint)[-1]
    if get_origin(hint) is tuple:
        return PAIRS_OF_NUMBERS[name]
    if name in FUNCTIONS and hint not in (int, float):
        return FUNCTIONS[name]()
    plain = {
        bool: True, torch.dtype: torch.float64, torch.device: torch.device("cpu"), torch.Generator: SEEDED,
        Slots: Slots(transform=Rotary(falling((LENGTHS["pairs"],)))), Cache: Cache(),
    }  # fmt: skip
    return plain[hint] if hint in plain else NUMBERS[name]


def tensor(name: str, hint: Any) -> Tensor:
    shape = shape_of(hint)
    if takes_marks(hint):
        pairs = torch.ones(shape if len(shape) > 1 else (1, *shape), dtype=torch.bool)
        return pairs.tril(shape[-1] - 2).view(shape)
    if name in TENSORS:
        return TENSORS[name](shape)
    return counted(shape) if takes_integers(hint) else normal(*shape).float()


def takes_marks(hint: Any) -> bool:
    return set(hint.dtypes) <= {"bool", "bool_"}


def takes_integers(hint: Any) -> bool:
    return any(dtype.startswith("int") for dtype in hint.dtypes)


def shape_of(hint: Any) -> tuple[int, ...]:
    """The length of each axis, and of those that stand for any number of them."""
    axes = hint.dim_str.split()
    several = [axis for axis in axes if axis.startswith("*")]
    room = 4 - (len(axes) - len(several))
    leading = {"*heads": LEADING[:room], "*q_heads": LEADING[:room], "*k_heads": LEADING[:room]}
    if not (takes_integers(hint) or takes_marks(hint)):
        leading["*batch"] = LEADING[:room]
    lengths = [leading.get(axis, SAMPLES.get(axis[1:], ())) if axis in several else (length(axis),) for axis in axes]
    return tuple(n for each in lengths for n in each)


def length(axis: str) -> int:
    axis = axis.lstrip("#")
    return int(axis) if axis.isdigit() else LENGTHS[axis]


# --- calls


@dataclass
class Call:
    """A good call: its name, what has its signature, what is called, and with what."""

    name: str
    signature: Callable
    function: Callable
    args: dict[str, Any]

    @property
    def optional(self) -> set[str]:
        return {name for name, parameter in parameters(self.signature).items() if parameter.default is None}

    def __call__(self, **changed: Any) -> Any:
        torch.manual_seed(0)
        SEEDED.manual_seed(0)
        given = {name: fresh(x) for name, x in {**self.args, **changed}.items()}
        result = self.function(**given)
        return added(result, given) if self.name.endswith("score_mod") else result


def fresh(x: Any) -> Any:
    """A cache grows when it is used."""
    return deepcopy(x) if isinstance(x, (Cache, list)) else x


def added(mod: Callable, given: dict[str, Any]) -> Tensor:
    """The numbers that a score_mod adds."""
    n_q, n_k = len(given["q_positions"]), len(given["k_positions"])
    device = given["k_positions"].device
    grid = torch.meshgrid(*(torch.arange(n, device=device) for n in (B, H, n_q, n_k)), indexing="ij")
    return mod(torch.zeros(B, H, n_q, n_k, device=device), *grid)


def parameters(function: Callable) -> dict[str, inspect.Parameter]:
    return {name: p for name, p in inspect.signature(function).parameters.items() if name != "self"}


def good_arguments(name: str, function: Callable, given: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(function)
    return {each: given[each] if each in given else _sample(name, each, hints[each]) for each in parameters(function)}


def _sample(name: str, argument: str, hint: Any) -> Any:
    try:
        return sample(argument, hint)
    except KeyError as error:
        raise KeyError(
            f"{name} has an argument {argument}, of which no sample is known: add one for its name, or for the axis "
            f"{error}, in tests/contract/arguments.py, or a value to ARGUMENTS in the method's method.py"
        ) from error


def calls(name: str) -> Iterator[Call]:
    """Of an exported name: of a function; or of a class, and of all its public methods on an instance of it."""
    part = every_name()[name]
    if not inspect.isclass(part):
        yield from _calls(name, part, part)
        return
    made = list(_calls(name, part.__init__, part))
    yield from made
    for method in public(part):
        yield from _calls(f"{name}.{method}", getattr(part, method), on_instance(made[0], method))


def public(part: type) -> list[str]:
    """Its own methods that take arguments."""
    own = [name for name, method in vars(part).items() if inspect.isfunction(method) and not name.startswith("_")]
    return [name for name in own if parameters(getattr(part, name)) and name not in NO_CALL]


def _calls(name: str, signature: Callable, function: Callable) -> Iterator[Call]:
    for given in collected("ARGUMENTS").get(name, lambda: [{}])():
        yield Call(name, signature, function, good_arguments(name, signature, given))


def on_instance(made: Call, method: str) -> Callable:
    """Calls a method of a module that lies where the arguments do."""

    @cache
    def instance(device: str) -> Any:
        new = deepcopy(made())  # with modules of its own
        return new.to(device).eval() if isinstance(new, nn.Module) else new

    def function(**given: Any) -> Any:
        devices = {x.device.type for x in given.values() if isinstance(x, Tensor)}
        return getattr(fresh(instance("meta" if devices == {"meta"} else "cpu")), method)(**given)

    return function
