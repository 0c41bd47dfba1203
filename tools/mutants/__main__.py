"""`python -m tools.mutants`: see the package."""

from __future__ import annotations

import argparse
import sys
from itertools import islice

import tools.mutants as package
from tools.mutants import tables
from tools.mutants.looked_at import place_of, together
from tools.mutants.planting import Mutant, mutants
from tools.mutants.running import rows


def sample(modules: list[str], each: str) -> list[Mutant]:
    most = None if each == "all" else int(each)
    return [its for module in modules for its in islice(mutants(module), most)]


def kept_ones(modules: list[str]) -> list[Mutant]:
    """Those that have a row, where their text still stands."""
    keys = {tables.key(row) for row in tables.kept(tables.package_of(modules[0]))}
    return [its for module in modules for its in mutants(module) if its[:3] in keys]


def with_rows() -> list[str]:
    return sorted({row["module"] for name in tables.PACKAGES for row in tables.kept(name)})


def report(found: list[dict], tell: bool) -> None:
    unseen = [row for row in found if not row["by"]]
    names = ", ".join(sorted({row["module"] for row in found}))
    print(f"{names}: {len(found)} errors, {len(found) - len(unseen)} noticed", flush=True)
    for row in unseen if tell else ():
        print(f"   nobody notices, in {row['module']}, {row['function']}: {row['change']}")


def compare(name: str, found: list[dict]) -> bool:
    lost = tables.emptied(tables.kept(name), found)
    for row in lost:
        print(f"no longer noticed, in {row['module']}: {row['change']} (was: {', '.join(row['by'][:3])})", flush=True)
    return not lost


def one(modules: list[str], options: argparse.Namespace) -> bool:
    """Modules with the same tests. False if a row has become empty, or if the tests fail anyway."""
    planted = kept_ones(modules) if options.check else sample(modules, options.each)
    try:
        found = rows(planted) if planted else []
    except RuntimeError as fails:
        print(fails, flush=True)
        return False
    if not found:
        return True
    report(found, bool(options.modules))
    name = tables.package_of(modules[0])
    sound = compare(name, found)
    if not options.check and options.each != "all":
        tables.keep(name, tables.replaced(tables.kept(name), found))
    return sound


def main() -> None:
    parser = argparse.ArgumentParser(description=package.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="relative/alibi, or a file or folder")
    parser.add_argument("--each", default="4", help="errors a module, or `all`")
    parser.add_argument("--check", action="store_true", help="compare with the table that is kept, and write nothing")
    options = parser.parse_args()
    places = options.modules or (with_rows() if options.check else tables.PACKAGES)
    sound = [one(modules, options) for modules in together([place_of(name) for name in places])]
    sys.exit(not all(sound))


if __name__ == "__main__":
    main()
