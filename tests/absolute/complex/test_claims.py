"""What the chapter proves about complex embeddings, verified in numbers on the library's code."""

from __future__ import annotations

import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.absolute import complex_order, linear_recurrence, recurrence
from posenc_lib.pairs import geometric_freqs, join_pairs, position_angles, split_pairs
from posenc_lib.rotary import rotate
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
ONE = torch.ones(1, dtype=torch.float64)
frequencies = st.floats(-3, 3)
angles = st.floats(-4, 4)
lengths = st.floats(0.1, 3)
places = st.integers(-1000, 1000)


def wave(m, r=1.0, omega=0.0, phi=0.0):
    """One feature of one word at the positions m, by the library."""
    values = (torch.tensor([v], dtype=torch.float64) for v in (r, omega, phi))
    return complex_order(torch.as_tensor(m).reshape(-1), *values)[:, 0]


def multiplication(z):
    """The matrix by which a complex number acts on (real, imaginary)."""
    return torch.tensor([[z.real, -z.imag], [z.imag, z.real]], dtype=torch.float64)


def powers(z, a, positions):
    """The powers a zᵐ, by the library's linear recursion, whose step is the multiplication by z."""
    codes = linear_recurrence(multiplication(z), torch.tensor([a.real, a.imag], dtype=torch.float64), positions)
    return torch.view_as_complex(codes)


def spread(scores, along):
    """By how much the scores of one distance (or of one sum of positions) differ."""
    flipped = scores if along == "distance" else scores.flip(0)
    lines = (flipped.diagonal(k) for k in range(-len(scores) + 2, len(scores) - 1))
    return max((line - line[0]).abs().max().item() for line in lines)


# --- two demands


@pytest.mark.claim("complex.any-map")
def test_a_bounded_orbit_of_one_map_need_not_be_a_power():
    codes = recurrence(lambda y: y / (1 + y), ONE, 50).flatten()
    torch.testing.assert_close(codes, 1 / torch.arange(1, 51, dtype=torch.float64), **TIGHT)
    ratios = codes[1:] / codes[:-1]
    assert ratios.max() - ratios.min() > 0.4
    waves = wave(torch.arange(50), 0.7, 0.4, 0.1)
    of_waves = waves[1:] / waves[:-1]
    torch.testing.assert_close(of_waves, of_waves[:1].expand(49), **TIGHT)


@pytest.mark.claim("complex.powers")
@given(z=st.complex_numbers(max_magnitude=1.1), a=st.complex_numbers(max_magnitude=2))
def test_repeated_steps_make_powers(z, a):
    got = powers(z, a, torch.arange(30))
    wanted = torch.tensor([a * z**m for m in range(30)], dtype=torch.complex128)
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.claim("complex.powers")
@given(omega=frequencies, phi=angles, r=lengths)
def test_the_wave_of_the_library_is_the_orbit_of_a_turn(omega, phi, r):
    got = wave(torch.arange(40), r, omega, phi)
    torch.testing.assert_close(got, powers(cmath.exp(1j * omega), cmath.rect(r, phi), torch.arange(40)), **TIGHT)


@pytest.mark.claim("complex.shift")
@given(omega=frequencies, phi=angles, m=places, s=places)
def test_a_shift_multiplies_by_the_same_number_everywhere(omega, phi, m, s):
    here, there = wave([m, m + s], 1.5, omega, phi)
    torch.testing.assert_close(there, here * cmath.exp(1j * omega * s), rtol=0, atol=1e-11)


@pytest.mark.claim("complex.shift")
@given(z=st.complex_numbers(max_magnitude=1.1), a=st.complex_numbers(max_magnitude=2), s=st.integers(0, 20))
def test_numbers_of_any_length_are_shifted_by_multiplication_too(z, a, s):
    here, there = (powers(z, a, torch.arange(20) + back) for back in (0, s))
    torch.testing.assert_close(there, here * z**s, rtol=1e-10, atol=1e-12)


@pytest.mark.claim("complex.length")
@given(size=st.floats(0.5, 1.5), omega=frequencies, m=st.integers(0, 40))
def test_lengths_are_powers_of_one_length(size, omega, m):
    a = 0.6 - 0.8j
    got = powers(cmath.rect(size, omega), a, torch.tensor([m])).abs().item()
    assert got == pytest.approx(size**m * abs(a), rel=1e-10)
    assert size > 1 or got <= abs(a) * (1 + 1e-12)


@pytest.mark.claim("complex.growth")
@given(epsilon=st.floats(1e-3, 1), m=st.integers(0, 200))
def test_a_number_longer_than_one_outgrows_every_bound(epsilon, m):
    got = powers(cmath.rect(1 + epsilon, 0.3), 1 + 0j, torch.tensor([m])).abs().item()
    assert got >= (1 + m * epsilon) * (1 - 1e-10)


@pytest.mark.claim("complex.growth")
def test_with_length_one_it_does_not_grow():
    sizes = powers(cmath.rect(1, 0.3), 1 + 0j, torch.tensor([0, 10, 10_000])).abs()
    torch.testing.assert_close(sizes, torch.ones(3, dtype=torch.float64), rtol=0, atol=1e-9)


@pytest.mark.claim("complex.both-directions")
@given(size=st.floats(0.5, 1.5), turn=angles, a=st.complex_numbers(max_magnitude=2), m=st.integers(0, 100))
def test_what_fades_forwards_grows_backwards(size, turn, a, m):
    """Back by m steps with the inverse, then on by m: the start again, and the lengths differ by the power."""
    step, start = multiplication(cmath.rect(size, turn)), torch.tensor([a.real, a.imag], dtype=torch.float64)
    back = linear_recurrence(step.inverse(), start, torch.tensor([m]))[0]
    again = linear_recurrence(step, back, torch.tensor([m]))[0]
    torch.testing.assert_close(again, start, rtol=1e-9, atol=1e-12)
    assert again.norm().item() == pytest.approx(size**m * back.norm().item(), rel=1e-9)


@pytest.mark.claim("complex.both-directions")
@pytest.mark.parametrize(("size", "outgrown"), [(0.9, True), (1.0, False)])
def test_backwards_only_length_one_stays_bounded(size, outgrown):
    back = powers(1 / cmath.rect(size, 0.7), 1 + 0j, torch.arange(1000)).abs()
    assert (back.max() > 1e40) == outgrown
    assert not powers(1 / cmath.rect(size, 0.7), 0j, torch.arange(1000)).any()  # the exception


# --- the wave


@pytest.mark.claim("complex.wave")
@given(r=lengths, omega=frequencies, phi=angles, m=places)
def test_the_library_gives_the_power_in_polar_form(r, omega, phi, m):
    wanted = cmath.rect(r, phi) * cmath.exp(1j * omega) ** m
    assert wave([m], r, omega, phi).item() == pytest.approx(wanted, abs=1e-9)


@pytest.mark.claim("complex.parts")
@given(r=lengths, omega=frequencies, phi=angles)
def test_the_parts_are_two_waves_and_the_length_is_the_amplitude(r, omega, phi):
    m = torch.arange(-30, 30)
    z = wave(m, r, omega, phi)
    turned = omega * m.double() + phi
    torch.testing.assert_close(z.real, r * turned.cos(), **TIGHT)
    torch.testing.assert_close(z.imag, r * turned.sin(), **TIGHT)
    torch.testing.assert_close(z.abs(), torch.full_like(z.real, r), **TIGHT)


# --- multiplying


@pytest.mark.claim("complex.product")
def test_with_shared_frequencies_a_word_is_multiplied_by_its_position():
    positions, freqs = torch.arange(30), geometric_freqs(16)
    r, phi = normal(30, 8).abs(), normal(30, 8, seed=1)
    p = complex_order(positions, ONE, freqs)
    torch.testing.assert_close(complex_order(positions, r, freqs, phi), torch.polar(r, phi) * p, **TIGHT)


@pytest.mark.claim("complex.distances")
@given(omega=frequencies, m=places)
def test_unit_waves_keep_the_distance_of_two_words(omega, m):
    x, y = torch.polar(normal(2, 6).abs(), normal(2, 6, seed=1))
    p = wave([m], 1, omega)
    torch.testing.assert_close((x * p - y * p).abs(), (x - y).abs(), **TIGHT)


@pytest.mark.claim("complex.distances")
@given(size=st.floats(0, 2), omega=frequencies)
def test_other_numbers_stretch_every_distance_by_their_length(size, omega):
    x, y = torch.polar(normal(2, 6).abs(), normal(2, 6, seed=1))
    p = wave([1], size, omega)
    torch.testing.assert_close((x * p - y * p).abs(), size * (x - y).abs(), **TIGHT)


@pytest.mark.claim("complex.rotation")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_product_turns_the_pair_as_rotary_does(layout):
    x, positions, freqs = normal(20, 8), torch.arange(-10, 10), geometric_freqs(8)
    product = torch.complex(*split_pairs(x, layout)) * complex_order(positions, ONE, freqs)
    got = join_pairs(product.real, product.imag, layout)
    torch.testing.assert_close(got, rotate(x, position_angles(positions, freqs), layout=layout), **TIGHT)


@pytest.mark.claim("complex.rotation")
def test_multiplying_feature_by_feature_does_not():
    x, positions, freqs = normal(20, 8), torch.arange(20), geometric_freqs(8)
    p = complex_order(positions, ONE, freqs)
    plain = x * join_pairs(p.real, p.imag, "interleaved")
    assert (plain - rotate(x, position_angles(positions, freqs))).abs().max() > 1


# --- what attention sees


@pytest.mark.claim("complex.hermitian")
@given(w1=frequencies, w2=frequencies, f1=angles, f2=angles, m=places, n=places)
def test_the_inner_product_has_the_difference_of_the_angles(w1, w2, f1, f2, m, n):
    got = wave([m], 2, w1, f1) * wave([n], 0.5, w2, f2).conj()
    assert got.item() == pytest.approx(cmath.exp(1j * (w1 * m - w2 * n + f1 - f2)), abs=1e-9)


@pytest.mark.claim("complex.own-frequencies")
@given(w1=frequencies, w2=frequencies, s=places)
def test_frequencies_of_their_own_see_where_two_words_stand(w1, w2, s):
    def product(m, n):
        return (wave([m], 1.2, w1, 0.3) * wave([n], 0.7, w2, -1.0).conj()).item()

    assert product(5 + s, 9 + s) == pytest.approx(cmath.exp(1j * (w1 - w2) * s) * product(5, 9), abs=1e-9)


@pytest.mark.claim("complex.own-frequencies")
@given(w1=frequencies, apart=st.floats(-20, 20))
def test_one_step_changes_the_product_unless_the_frequencies_differ_by_whole_turns(w1, apart):
    one, other = wave([5, 6], 1.2, w1, 0.3), wave([9, 10], 0.7, w1 + apart, -1.0)
    product = one * other.conj()
    moved = (product[1] - product[0]).abs().item()
    assert moved == pytest.approx(1.2 * 0.7 * 2 * abs(math.sin(apart / 2)), abs=1e-11)
    turns = round(apart / (2 * math.pi))
    whole = wave([9, 10], 0.7, w1 + 2 * math.pi * turns, -1.0)
    kept = one * whole.conj()
    assert (kept[1] - kept[0]).abs() < 1e-11


@pytest.mark.claim("complex.own-frequencies")
@pytest.mark.claim("complex.relative")
def test_scores_are_relative_with_shared_frequencies_only():
    positions, (q, k) = torch.arange(40), normal(2, 8)
    shared, other = geometric_freqs(16), geometric_freqs(16, base=100.0)
    queries = complex_order(positions, q, shared)
    relative = (queries @ complex_order(positions, k, shared).mH).real
    own = (queries @ complex_order(positions, k, other).mH).real
    assert spread(relative, "distance") < 1e-12
    assert spread(own, "distance") > 0.5


@pytest.mark.claim("complex.relative")
@given(omega=frequencies, f1=angles, f2=angles, m=places, n=places)
def test_the_real_part_is_a_cosine_of_the_distance(omega, f1, f2, m, n):
    got = (wave([m], 2, omega, f1) * wave([n], 0.5, omega, f2).conj()).real.item()
    assert got == pytest.approx(math.cos(omega * (n - m) + f2 - f1), abs=1e-9)


@pytest.mark.claim("complex.relative")
def test_the_real_part_is_the_score_of_rotary():
    positions, freqs, x = torch.arange(30), geometric_freqs(16), normal(2, 30, 16)
    q, k = (torch.complex(*split_pairs(v, "interleaved")) for v in x)
    q, k = (complex_order(positions, v.abs(), freqs, v.angle()) for v in (q, k))
    turned_q, turned_k = (rotate(v, position_angles(positions, freqs)) for v in x)
    torch.testing.assert_close((q @ k.mH).real, turned_q @ turned_k.mT, **TIGHT)


@pytest.mark.claim("complex.no-conjugate")
@given(omega=frequencies, f1=angles, f2=angles, m=places, n=places, s=places)
def test_without_the_conjugate_a_shift_turns_the_product_twice(omega, f1, f2, m, n, s):
    (here, there), (k_here, k_there) = wave([m, m + s], 2, omega, f1), wave([n, n + s], 0.5, omega, f2)
    wanted = cmath.exp(2j * omega * s) * (here * k_here).item()
    assert (there * k_there).item() == pytest.approx(wanted, abs=1e-9)


@pytest.mark.claim("complex.no-conjugate")
def test_without_the_conjugate_one_frequency_sees_the_sum_of_the_positions():
    z = wave(torch.arange(40), 1.3, 0.5, 0.2)[:, None]
    bare = (z @ z.mT).real
    assert spread(bare, "sum") < 1e-12
    assert spread(bare, "distance") > 1
    turned = (z[4:] @ z[4:].mT) / (z[:-4] @ z[:-4].mT)
    torch.testing.assert_close(turned, torch.full_like(turned, cmath.exp(2j * 0.5 * 4)), **TIGHT)


@pytest.mark.claim("complex.no-conjugate")
def test_the_length_of_the_bare_product_of_many_frequencies_sees_the_sum_too():
    """What the published code of the paper takes for its scores."""
    q, k = complex_order(torch.arange(40), normal(2, 1, 8), geometric_freqs(16))
    assert spread((q @ k.mT).abs(), "sum") < 1e-12
    assert spread((q @ k.mT).abs(), "distance") > 0.5
    assert spread((q @ k.mH).abs(), "distance") < 1e-12


@pytest.mark.claim("complex.modulus")
@given(w1=frequencies, w2=frequencies, f1=angles, f2=angles, m=places, n=places)
def test_the_length_of_one_product_is_that_of_the_amplitudes(w1, w2, f1, f2, m, n):
    product = wave([m], 1.3, w1, f1) * wave([n], 0.4, w2, f2).conj()
    assert product.abs().item() == pytest.approx(1.3 * 0.4, rel=1e-12)


@pytest.mark.claim("complex.modulus")
def test_the_length_of_the_product_forgets_the_positions_of_one_feature():
    z = wave(torch.arange(40), 1.3, 0.5, 0.2)[:, None]
    torch.testing.assert_close((z @ z.mH).abs(), torch.full((40, 40), 1.69, dtype=torch.float64), **TIGHT)
    many = complex_order(torch.arange(40), normal(8), geometric_freqs(16))
    scores = (many @ many.mH).abs()
    assert scores.max() - scores.min() > 0.5


@pytest.mark.claim("complex.modulus")
def test_with_phase_0_the_length_cannot_tell_before_from_after():
    positions, amplitudes = torch.arange(40), normal(2, 1, 8)
    for phases, even in ((torch.zeros(2, 1, 8).double(), True), (normal(2, 1, 8, seed=1), False)):
        q, k = complex_order(positions, amplitudes, geometric_freqs(16), phases)
        scores = (q @ k.mH).abs()
        assert ((scores - scores.T).abs().max() < 1e-12) == even


# --- learned frequencies, and the mean


@pytest.mark.claim("complex.aliasing")
@given(omega=frequencies, turns=st.integers(-3, 3), m=places)
def test_whole_turns_of_the_frequency_are_not_seen(omega, turns, m):
    assert wave([m], 1, omega + 2 * math.pi * turns).item() == pytest.approx(wave([m], 1, omega).item(), abs=1e-9)


@pytest.mark.claim("complex.aliasing")
def test_between_the_positions_they_are():
    half = torch.tensor([0.5], dtype=torch.float64)
    assert abs(wave(half, 1, 0.3 + 2 * math.pi).item() - wave(half, 1, 0.3).item()) > 1.9


@pytest.mark.claim("complex.gradient")
@given(m=places, r=lengths, at=frequencies, phi=angles)
def test_the_gradient_of_the_frequency_grows_with_the_position(m, r, at, phi):
    def parts(omega):
        z = complex_order(torch.tensor([m]), r * ONE, omega, phi * ONE)
        return torch.cat((z.real, z.imag)).flatten()

    slope = torch.autograd.functional.jacobian(parts, at * ONE).flatten()
    wanted = 1j * m * r * cmath.exp(1j * (at * m + phi))
    torch.testing.assert_close(slope, torch.tensor([wanted.real, wanted.imag], dtype=torch.float64), rtol=0, atol=1e-8)
    assert slope.norm().item() == pytest.approx(r * abs(m), rel=1e-12)


@pytest.mark.claim("complex.mean")
@pytest.mark.parametrize("omega", [0.1, 1.0, 3.0, 6.2])
@pytest.mark.parametrize("n", [1, 7, 100, 10_000])
def test_the_sum_over_positions_is_bounded_so_the_mean_vanishes(omega, n):
    total = abs(wave(torch.arange(n), 1.7, omega, 0.4).sum().item())
    assert total * abs(1 - cmath.exp(1j * omega)) <= 2 * 1.7 + 1e-9
    assert total / n <= 2 * 1.7 / (n * abs(1 - cmath.exp(1j * omega))) + 1e-12


@pytest.mark.claim("complex.mean")
def test_the_mean_is_not_the_amplitude_times_two_over_pi():
    """As section 2.3 of the paper has it. That number is the mean size of the real part, by no means its mean."""
    code = wave(torch.arange(100_000), 1, 1.0)
    assert code.mean().abs() < 1e-4
    assert code.real.abs().mean().item() == pytest.approx(2 / math.pi, abs=1e-4)
