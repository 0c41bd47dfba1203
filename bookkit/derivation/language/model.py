"""Models: functions and numbers for which all hypotheses of a derivation hold."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from bookkit.derivation.language.binding import head_of
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.promises import promises
from bookkit.derivation.language.universal import Universal, entry

Model = dict[sp.Basic, sp.Basic]  # a function or a sequence: its Lambda; a letter: its value


def in_model(expr: sp.Basic, model: Model | None) -> sp.Basic:
    """`expr` with what the model names replaced by what it says.

    >>> f, n = sp.Function("f"), sp.Symbol("n")
    >>> in_model(sp.Eq(f(n + 1), 2 * f(n)), {f: sp.Lambda(n, 2**n)})
    Eq(2**(n + 1), 2*2**n)
    """
    return expr.replace(lambda e: _value(e, model) is not None, lambda e: _value(e, model)) if model else expr


def broken_promise(hypothesis: sp.Basic, model: Model) -> str | None:
    """An assumption (real, positive …) that the model is not known to keep; None where it keeps all."""
    atoms = {a for part in parts(hypothesis) for a in part.atoms(AppliedUndef, sp.Indexed, sp.Symbol)}
    for atom in sorted(atoms, key=str):
        value = _value(atom, model)
        orders, kinds = ([], []) if value is None else promises(atom, value)
        if orders or kinds:
            return f"{value} for {atom}: it is not shown that {orders[0]}" if orders else f"for {atom}, {kinds[0]}"
    return None


def parts(hypothesis: sp.Basic) -> list[sp.Basic]:
    """The relation and, of a universal statement, its conditions."""
    return [hypothesis.relation, *hypothesis.conditions] if isinstance(hypothesis, Universal) else [hypothesis]


def heads(hypothesis: sp.Basic) -> set[sp.Basic]:
    """The functions, sequences and letters of which it speaks."""
    atoms = {a for part in parts(hypothesis) for a in part.atoms(AppliedUndef, sp.Indexed, sp.Symbol)}
    return {head_of(a) if not a.is_Symbol else a for a in atoms}


def _value(atom: sp.Basic, model: Model) -> sp.Expr | None:
    if isinstance(atom, AppliedUndef):
        return _rule(atom.func, model)(*atom.args) if atom.func in model else None
    if isinstance(atom, sp.Indexed):
        return entry(_rule(atom.base, model), *atom.indices) if atom.base in model else None
    return sp.sympify(model[atom]) if isinstance(atom, sp.Symbol) and atom in model else None


def _rule(name: sp.Basic, model: Model) -> sp.Lambda | sp.IndexedBase:
    if isinstance(model[name], (sp.Lambda, UndefinedFunction, sp.IndexedBase)):
        return model[name]
    raise AuthorError(f"in a model {name} stands for a rule, as sp.Lambda(n, 2**n); got {model[name]}")
