"""Runs the cells of a page in the browser, and says what came of the last one."""

import ast
import contextlib
import io
import json
import traceback

from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided
from bookkit.derivation.page.display import LAYOUT, failure_layout

PLACE = "<cell>"
done = []  # (source, the names after it), for the cells that have been run


def check(sources):
    """The sources as JSON, the cell in question last; the answer as JSON too."""
    *above, asked = json.loads(sources) or [""]
    try:
        names = dict(after(above))
    except BaseException as error:
        return json.dumps({"verdict": "above", "words": words(error)})
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            records, text = described(run(asked, names))
    except (Refuted, Undecided) as error:
        failed = getattr(error, "failure", None)
        layout = failure_layout(failed) if failed else None
        said = {"verdict": type(error).__name__, "words": str(error)}
        return json.dumps({**said, "layout": layout, "lines": lines_of(error)})
    except BaseException as error:
        return json.dumps({"verdict": "error", "words": words(error), "lines": lines_of(error)})
    verdict = "shown" if proves(asked) else "ran"
    return json.dumps({"verdict": verdict, "layout": records.get(LAYOUT), "words": printed.getvalue() + text})


def after(sources):
    """The names that these cells leave; what was run before is not run again."""
    same = 0
    while same < min(len(done), len(sources)) and done[same][0] == sources[same]:
        same += 1
    del done[same:]
    names = done[-1][1] if done else {"__name__": "chapter"}
    for source in sources[same:]:
        names = dict(names)
        run(source, names)
        done.append((source, names))
    return names


def run(source, names):
    """The value of the last line, as a notebook shows it."""
    tree = ast.parse(source, PLACE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PLACE, "exec"), names)
    return eval(compile(ast.Expression(last.value), PLACE, "eval"), names) if last else None


def proves(source):
    """Whether there is something to prove: a cell of letters and names only runs."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(getattr(f, "attr", None) == "step" or getattr(f, "id", None) == "refute" for f in calls)


def described(shown):
    if shown is None:
        return {}, ""
    bundle = shown._repr_mimebundle_() if hasattr(shown, "_repr_mimebundle_") else {}
    return bundle, bundle.get("text/plain") or str(shown)


def lines_of(error):
    """The first and the last line of the cell's code in which it came about: of a chain, the step. Or nothing."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PLACE]
    place = error if getattr(error, "lineno", None) else places[-1] if places else None
    return [place.lineno, place.end_lineno or place.lineno] if place else []


def words(error):
    """The error, and the line of the cell in which it came about."""
    line = next(iter(lines_of(error)), None)
    said = getattr(error, "msg", None) or str(error)
    place = f"line {line}" if line else ""
    kind = "" if isinstance(error, AuthorError) else type(error).__name__  # its sentence says what to do
    where = ", ".join(filter(None, (kind, place)))
    return f"{where[:1].upper()}{where[1:]}: {said}"
