"""Strangers: after Flax, where numpy stands for jax.numpy."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, at, swap

FLAX = '''
jnp = np


def apply_rope(inputs, positions, *, base_frequency=10_000):
    """inputs [B, L, N, H], positions [B, L]"""
    inputs, positions = jnp.asarray(inputs), jnp.asarray(positions)
    head_dim = inputs.shape[-1]
    fraction = 2 * jnp.arange(0, head_dim // 2) / head_dim
    timescale = base_frequency**fraction
    sinusoid_inp = positions[..., jnp.newaxis] / timescale[jnp.newaxis, jnp.newaxis, :]
    sinusoid_inp = sinusoid_inp[..., jnp.newaxis, :]
    sin, cos = jnp.sin(sinusoid_inp), jnp.cos(sinusoid_inp)
    first_half, second_half = jnp.split(inputs, 2, axis=-1)
    first_part = first_half * cos - second_half * sin
    second_part = second_half * cos + first_half * sin
    return jnp.concatenate([first_part, second_part], axis=-1).astype(inputs.dtype)
'''

flax = family(
    Case(
        name="2.flax",
        kind="rotary",
        source=FLAX,
        target="apply_rope",
        told={**HALF, "axes": "bnhd"},
        run=lambda m, x, y, n: [swap(m.apply_rope(swap(x), at(x, n)))],
    ),
    right(
        "stack",
        "a new axis of two in place of the halves, which is laid out flat at the end",
        ("jnp.split(inputs, 2, axis=-1)", "jnp.moveaxis(inputs.reshape(*inputs.shape[:-1], 2, -1), -2, 0)"),
        (
            "jnp.concatenate([first_part, second_part], axis=-1)",
            "jnp.stack([first_part, second_part], axis=-2).reshape(inputs.shape)",
        ),
    ),
    faulty(
        "endpoint",
        "the fractions run from 0 to 1 with both ends, by linspace: exponent i/(d/2 - 1)",
        ("2 * jnp.arange(0, head_dim // 2) / head_dim", "jnp.linspace(0, 1, head_dim // 2)"),
        grade="named",
        faults="exponent-last",
    ),
    faulty(
        "half",
        "fractions over half of the head: the exponent is doubled",
        ("2 * jnp.arange(0, head_dim // 2) / head_dim", "2 * jnp.arange(0, head_dim // 2) / (head_dim // 2)"),
        grade="named",
        faults="exponent-doubled",
    ),
    faulty(
        "times",
        "positions are multiplied by the timescale in place of divided",
        ("positions[..., jnp.newaxis] / timescale", "positions[..., jnp.newaxis] * timescale"),
        grade="named",
        faults="not-inverted",
    ),
    faulty(
        "reuse",
        "the second part is made from the first part, which is new already",
        ("second_half * cos + first_half * sin", "second_half * cos + first_part * sin"),
        grade="named",
        faults="overwritten",
    ),
    faulty(
        "dtype",
        "angles are made in half precision before sine and cosine",
        ("sinusoid_inp[..., jnp.newaxis, :]", "sinusoid_inp[..., jnp.newaxis, :].astype(jnp.float16)"),
        grade="named",
        faults="angles-half",
    ),
)

CASES = [*flax]
