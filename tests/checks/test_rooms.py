"""The checker can be read from below: each room imports only what stands under it, and no two modules one another."""

from __future__ import annotations

import pkgutil
from graphlib import TopologicalSorter
from importlib import import_module

import posenc_checks
from tests.support.imports import arrows

FLOORS = ["report", "calling", "reading", "rules", "the checks"]
ARROWS = arrows("posenc_checks")


def floor(module: str) -> int:
    room = module.split(".")[1] if "." in module else ""
    return FLOORS.index(room if room in FLOORS else "the checks")


def test_no_arrow_points_up_and_there_is_no_circle():
    assert {floor(module) for module, _ in ARROWS} == {*range(len(FLOORS))}
    assert [arrow for arrow in ARROWS if floor(arrow[0]) < floor(arrow[1])] == []
    graph = {module: {target for source, target in ARROWS if source == module} for module, _ in ARROWS}
    assert [*TopologicalSorter(graph).static_order()]  # raises where there is a circle


def test_no_module_is_hidden_by_a_name_of_its_package():
    names = [name for _, name, _ in pkgutil.walk_packages(posenc_checks.__path__, "posenc_checks.")]
    assert "posenc_checks.rules.driver" in names
    for name in names:
        module, (room, _, last) = import_module(name), name.rpartition(".")
        assert getattr(import_module(room), last) is module, name
