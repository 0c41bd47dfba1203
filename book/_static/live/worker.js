// Python in a worker: it loads the prover once, and then checks cells, each after the cells above it.
import { loadPyodide } from "./pyodide.mjs";
import { ARCHIVES, DRIVER, prover } from "./prover.mjs";

const at = (name) => new URL(name, import.meta.url);
// Pyodide would ask for its own files by itself, and wait for ever for one that does not come.
const FILES = [...ARCHIVES, DRIVER, "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

const start = async () => {
  let came = 0;
  const fetched = async (name) => {
    const answer = await fetch(at(name));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    const bytes = await answer.arrayBuffer();
    postMessage({ loaded: ++came, of: FILES.length });
    return [name, bytes];
  };
  const files = new Map(await Promise.all(FILES.map(fetched)));
  return prover(loadPyodide, at("./").href, (name) => files.get(name));
};

const ready = start();
ready.catch((error) => postMessage({ failed: String(error.message ?? error) }));

onmessage = async ({ data: { number, sources } }) => {
  const check = await ready;
  try {
    postMessage({ number, answer: check(sources) });
  } catch (error) { // Python itself has ended: its memory was full, say
    postMessage({ number, answer: { verdict: "error", words: String(error.message ?? error) } });
  }
};
