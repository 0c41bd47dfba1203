"""The rotation with its backward pass that the page writes, and the faulty ones that it plants: run as they stand."""

from __future__ import annotations

import functools

import nbformat
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import rotate
from tests.support.weights import normal
from tools.book import ROOT

pytestmark = pytest.mark.usefixtures("float64")
AT = torch.arange(-3.0, 6.0)[:, None]
BASES = {"usual": (10_000.0, 1.0), "other": (500.0, 1.2)}


@functools.cache
def page() -> dict:
    """The names of the cells that define the rotations."""
    cells = nbformat.read(ROOT / "book" / "practice" / "fused-kernels.ipynb", as_version=4).cells
    names: dict = {"torch": torch, "rotate": rotate, "geometric_freqs": geometric_freqs}
    for start in ("def quarter", "class Turn(", "class Planted("):
        (source,) = [cell.source for cell in cells if cell.cell_type == "code" and f"\n{start}" in f"\n{cell.source}"]
        kept = source[source.index("def quarter") : source.index("def complaint")] if start == "def quarter" else source
        exec(kept, names)  # cells of our own page
    return names


def leaves(base=500.0):
    return normal(9, 8).requires_grad_(), geometric_freqs(8, base).requires_grad_()


def test_the_backward_pass_of_the_page_is_right_and_has_one_of_its_own():
    turn = page()["Turn"]
    assert gradcheck(lambda x, f: turn.apply(x, AT, f), leaves(), fast_mode=True)
    assert gradgradcheck(lambda x, f: turn.apply(x, AT, f), leaves(), fast_mode=True)


def gradients(f, base, a):
    inputs = leaves(base)
    return torch.autograd.grad(f(inputs[0], AT, inputs[1], a), inputs, normal(9, 8, seed=1), allow_unused=True)


@pytest.mark.parametrize(
    ("name", "usual", "other"),
    [
        ("turn", "right right", "right right"),
        ("cached", "right none", "right none"),
        ("constant", "right none", "right none"),
        ("fixed_base", "right none", "wrong none"),
        ("no_factor", "right none", "wrong none"),
    ],
)
def test_each_planted_fault_has_the_verdict_of_the_page(name, usual, other):
    for setting, expected in ((BASES["usual"], usual), (BASES["other"], other)):
        right = gradients(lambda x, m, f, a: a * rotate(x, m * f), *setting)
        found = [
            "none" if got is None else "right" if (got - want).abs().max() < 1e-9 else "wrong"
            for got, want in zip(gradients(page()["planted"][name], *setting), right, strict=True)
        ]
        assert " ".join(found) == expected


def test_gradcheck_sees_a_backward_pass_that_rotates_on_but_not_at_position_0():
    class On(page()["Turn"]):
        @staticmethod
        def backward(ctx, g):
            _, m, freqs = ctx.saved_tensors
            return rotate(g, m * freqs), None, None

    x, freqs = leaves()
    at_zero = lambda x: On.apply(x, 0 * AT, freqs.detach())  # noqa: E731
    assert gradcheck(at_zero, (x,), fast_mode=True)
    assert not gradcheck(lambda x: On.apply(x, AT, freqs.detach()), (x,), raise_exception=False, fast_mode=True)


def test_a_rotation_in_place_still_has_its_gradients():
    """The output is all that is kept, so the input may be overwritten."""

    class InPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, m, freqs):
            x.copy_(rotate(x, m * freqs))
            ctx.mark_dirty(x)
            ctx.save_for_backward(x, m, freqs)
            return x

        backward = page()["Turn"].backward

    x, freqs = leaves()
    right = gradients(lambda x, m, f, a: a * rotate(x, m * f), 500.0, 1.0)
    out = InPlace.apply(x * 1, AT, freqs)
    for got, want in zip(torch.autograd.grad(out, (x, freqs), normal(9, 8, seed=1)), right, strict=True):
        torch.testing.assert_close(got, want)
    before = x * 1
    squared = before.square()  # needs what is overwritten
    after = InPlace.apply(before, AT, freqs)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (squared + after).sum().backward()


def test_both_halves_of_a_frequency_s_gradient_are_large_and_float32_rounds_them():
    """Of the vectors alone: angles are in float64."""

    def halves(start, dtype):
        both, freqs = normal(2, 1, 16).to(dtype), [geometric_freqs(16).requires_grad_() for _ in "qk"]
        where = torch.tensor([[[start + 3]], [[start]]])
        turned = [rotate(x, p * f) for x, p, f in zip(both, where, freqs, strict=True)]
        return torch.autograd.grad((turned[0] * turned[1]).sum(), freqs)

    errors = []
    for start in (0, 1_000, 1_000_000):
        exact, rough = sum(halves(start, torch.float64)), sum(halves(start, torch.float32))
        errors.append((rough - exact).abs().max().item())
        torch.testing.assert_close(exact, sum(halves(0, torch.float64)), rtol=0, atol=1e-6)
    assert errors[0] < 1e-5 < errors[1] < 1e-3 < errors[2]
