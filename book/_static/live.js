// Derivations that run in the page: a button at each; the editor comes with the first click, Python with the first edit.
(() => {
  "use strict";
  const { src, dataset: { megabytes, breaks } } = document.currentScript;
  const inView = JSON.parse(breaks); // the errors that can be planted in a derivation in view, by its number
  let editor = null;
  const load = () => editor ??= new Promise((done, lost) => {
    const script = Object.assign(document.createElement("script"), { onload: done, onerror: lost });
    script.src = new URL("live/editor.js", src).href; // beside this script, wherever the site lies
    document.head.append(script);
  });

  document.querySelectorAll('.cell_input[class*="live-"]').forEach((code) => {
    const number = Number(/live-(\d+)/.exec(code.className)[1]), bar = document.createElement("div");
    const status = Object.assign(document.createElement("span"), { role: "status" });
    bar.className = "live";
    bar.dataset.derivation = number;
    const button = (words, planted) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: words });
      made.addEventListener("click", () => open(planted));
      return made;
    };
    const open = async (planted) => {
      if (location.protocol === "file:") {
        status.textContent = "A page that was opened as a file may not start Python. Serve the folder: make serve.";
        return;
      }
      try {
        await load();
        await window.openDerivation({ code, number, bar, megabytes, planted });
      } catch {
        editor = null;
        status.textContent = "The files were not found. Check the connection, and try again.";
      }
    };
    const errors = (inView[number] ?? []).map((name) => button(name, name));
    bar.append(...(errors.length ? ["Break it: ", ...errors] : []), button("Try it here"), " ", status);
    code.after(bar); // not in the box of the code, which has colours of its own
  });
})();
