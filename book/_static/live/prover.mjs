// The prover in Python, in a browser or in Node: who asks says how files are read, and gets a function that checks cells.
export const ARCHIVES = ["mpmath.zip", "sympy.zip", "z3_solver.zip", "engine.zip"];
export const DRIVER = "check.py";

export const prover = async (loadPyodide, indexURL, read) => {
  const python = await loadPyodide({ indexURL });
  for (const name of ARCHIVES) {
    python.unpackArchive(await read(name), "zip", { extractDir: "/lib/python3.14/site-packages" });
  }
  python.runPython(new TextDecoder().decode(await read(DRIVER)));
  const check = python.globals.get("check");
  return (sources) => JSON.parse(check(JSON.stringify(sources)));
};
