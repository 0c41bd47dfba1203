// Compiles, in the browser's Python itself, the modules that `import sympy, z3` loads: the first check waits for them, and
// compiling them there would take half of that time. The other modules stay sources, which are half the size.
//     node compiled.mjs FOLDER ARCHIVE.zip …    (they stand in the folder, beside Pyodide, and are written anew)
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const PACK = `
import py_compile, sys, zipfile
from pathlib import Path

import sympy, z3

used = {getattr(module, "__file__", None) for module in [*sys.modules.values()]}
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH

def packed(folder):
    with zipfile.ZipFile("/packed.zip", "w") as archive:
        for file in sorted(file for file in Path(folder).rglob("*") if file.is_file() and file.suffix != ".pyc"):
            name = file.relative_to(folder)
            if str(file) in used and file.suffix == ".py":
                name = name.with_suffix(".pyc")
                file = Path(py_compile.compile(file, "/one.pyc", str(name), invalidation_mode=unchecked))
            archive.writestr(zipfile.ZipInfo(str(name)), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)
`;

process.on("uncaughtException", (error) => { console.error(error.message); process.exit(1); }); // without Pyodide's source
const [folder, ...names] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/` });
for (const name of names) python.unpackArchive(new Uint8Array(fs.readFileSync(`${folder}/${name}`)), "zip", { extractDir: `/unpacked/${name}` });
python.runPython(names.map((name) => `import sys; sys.path.append("/unpacked/${name}")`).join("\n"));
python.runPython(PACK);
for (const name of names) {
  python.globals.get("packed")(`/unpacked/${name}`);
  fs.writeFileSync(`${folder}/${name}`, python.FS.readFile("/packed.zip"));
}
