"""The modules beside a reader's file: there while it is loaded and called, and for no other file of that name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import Any


class Neighbours:
    """What has been imported from a folder. Two checkouts of one program have modules of the same names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.modules: dict[str, ModuleType] = {}
        known = {*sys.stdlib_module_names, "__main__"}
        files = [*self.folder.glob("*.py"), *(file.parent for file in self.folder.glob("*/__init__.py"))]
        self.names = {file.stem for file in files} - known

    @contextmanager
    def present(self) -> Iterator[None]:
        """Imports look in the folder first, and find none of another folder's modules under a neighbour's name."""
        hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if self._hides(name)}
        before = {*sys.modules}
        sys.modules.update(self.modules)
        sys.path.insert(0, str(self.folder))
        try:
            yield
        finally:
            sys.path.remove(str(self.folder))
            own = [name for name in {*sys.modules} - before if self._holds(sys.modules[name])]
            self.modules |= {name: sys.modules.pop(name) for name in own}
            sys.modules.update(hidden)

    def within(self, found: Any) -> Any:
        """A function that may import its neighbours when it is called; an object may by its own methods."""
        if isfunction(found):
            return self._called_here(found)
        for name, method in [*vars(type(found)).items()]:
            if name in ("forward", "__call__") and isfunction(method) and not isinstance(found, type):
                setattr(type(found), name, self._called_here(method))
        return found

    def _called_here(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            with self.present():
                return function(*args, **named)

        return called

    def _hides(self, name: str) -> bool:
        return name.partition(".")[0] in self.names and not self._holds(sys.modules[name])

    def _holds(self, module: Any) -> bool:
        file = Path(getattr(module, "__file__", None) or "/").resolve()
        return self.folder in file.parents and "site-packages" not in file.parts
