// Runs derivations in the browser's Python, without a browser: PAGES.json holds {page: [source, …]}, and for each page a
// line of JSON with its answers goes out.    node live.mjs FOLDER-OF-PYODIDE ENGINE.zip CHECK.py PAGES.json
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, engine, driver, pages] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder });
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
for (const archive of ["mpmath", "sympy", "z3_solver"].map((name) => `${folder}/${name}.zip`).concat(engine)) {
  python.unpackArchive(bytes(archive), "zip", { extractDir: "/lib/python3.14/site-packages" });
}
python.runPython(fs.readFileSync(driver, "utf8"));
const check = python.globals.get("check");
for (const [page, sources] of Object.entries(JSON.parse(fs.readFileSync(pages, "utf8")))) {
  const answers = sources.map((_, k) => JSON.parse(check(JSON.stringify(sources.slice(0, k + 1)))));
  console.log(JSON.stringify({ page, answers }));
}
