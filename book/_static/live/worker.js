// Python in a worker: it loads the prover once, and then checks cells, each after the cells above it.
import { loadPyodide } from "./pyodide.mjs";

const at = (name) => new URL(name, import.meta.url);
const ARCHIVES = ["mpmath.zip", "sympy.zip", "z3_solver.zip", "engine.zip"];
const PYTHON = ["pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
const PACKAGES = "/lib/python3.14/site-packages";

// All at once, and a word for each that has come.
const fetched = async (name) => {
  const answer = await fetch(at(name));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  postMessage({ loaded: name });
  return bytes;
};

const start = async () => {
  const archives = ARCHIVES.map(fetched), driver = fetch(at("check.py")).then((answer) => answer.text());
  archives.forEach((archive) => archive.catch(() => {})); // the first that fails is told below
  await Promise.all(PYTHON.map(fetched)); // Pyodide would ask for them, and wait for ever for one that does not come
  const python = await loadPyodide({ indexURL: at("./").href });
  for (const archive of archives) python.unpackArchive(await archive, "zip", { extractDir: PACKAGES });
  python.runPython(await driver);
  return python.globals.get("check");
};

const ready = start();
ready.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error.message ?? error) }));

onmessage = async ({ data: { number, sources } }) => {
  const check = await ready;
  try {
    postMessage({ number, answer: JSON.parse(check(JSON.stringify(sources))) });
  } catch (error) { // Python itself has ended: its memory was full, say
    postMessage({ number, answer: { verdict: "error", words: String(error.message ?? error) } });
  }
};
