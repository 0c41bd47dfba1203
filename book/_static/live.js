// Derivations that run in the page: a button at each; the editor and Python come with the first click, and not before.
(() => {
  "use strict";
  const { src, dataset: { megabytes } } = document.currentScript;
  let editor = null;
  const load = () => editor ??= new Promise((done, lost) => {
    const script = Object.assign(document.createElement("script"), { onload: done, onerror: lost });
    script.src = new URL("live/editor.js", src).href; // beside this script, wherever the site lies
    document.head.append(script);
  });

  document.querySelectorAll('.cell_input[class*="live-"]').forEach((code) => {
    const number = Number(/live-(\d+)/.exec(code.className)[1]), bar = document.createElement("div");
    bar.className = "live";
    bar.innerHTML = `<button type="button" class="live-try">Try it here</button> loads ${megabytes} MB, once <span role="status"></span>`;
    bar.dataset.derivation = number;
    code.after(bar); // not in the box of the code, which has colours of its own
    const [button, status] = bar.children;
    button.addEventListener("click", async () => {
      if (location.protocol === "file:") {
        status.textContent = "A page that was opened as a file may not start Python. Serve the folder: make serve.";
        return;
      }
      try {
        await load();
        await window.openDerivation(code, number, bar);
      } catch {
        editor = null;
        status.textContent = "The files were not found. Check the connection, and try again.";
      }
    });
  });
})();
