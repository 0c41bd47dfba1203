# check_rotary(m.apply_rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="half", axes="bnhd")
# call: [swap(m.apply_rope(swap(x), at(x, n)))]

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
