// Runs derivations in the browser's Python, without a browser: PAGES.json holds {page: [source, …]}, and for each page a
// line of JSON with its answers goes out.    node live.mjs PAGES.json FOLDER …    (the files stand in one of the folders)
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [pages, ...folders] = process.argv.slice(2);
const place = (name) => folders.map((folder) => `${folder}/${name}`).find((file) => fs.existsSync(file));
const load = (name) => import(pathToFileURL(place(name)));
const [{ loadPyodide }, { prover }] = await Promise.all(["pyodide.mjs", "prover.mjs"].map(load));
const home = place("pyodide.asm.wasm").replace(/[^/\\]*$/, "");
const check = await prover(loadPyodide, home, (name) => new Uint8Array(fs.readFileSync(place(name))));
for (const [page, sources] of Object.entries(JSON.parse(fs.readFileSync(pages, "utf8")))) {
  console.log(JSON.stringify({ page, answers: sources.map((_, k) => check(sources.slice(0, k + 1))) }));
}
