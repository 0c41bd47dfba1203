// The editor of a derivation and the prover behind it: live.js asks for this file with a reader's first click.
(() => {
  "use strict";
  const root = new URL("./", document.currentScript.src); // wherever the site lies
  const page = decodeURIComponent(location.pathname).split("/").slice(-3).join("/").replace(/\.html$/, "");
  const PATIENCE = 15000; // milliseconds, until a check is said to take long
  const WORDS = {
    shown: "Shown.", ran: "It runs. There is no step to show in it.", Refuted: "Refuted: ", Undecided: "Neither shown nor contradicted. ",
    above: "A cell above this one does not run. ", error: "The cell does not run. ",
  };

  const make = (name, attributes, ...children) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  };

  // The prover: started once, and anew after a stop. What is asked of it is answered in its turn.
  const prover = { worker: null, asked: new Map(), said: () => {} };
  const start = () => {
    prover.worker = new Worker(new URL("worker.js", root), { type: "module" });
    prover.worker.onerror = () => fail("its files were not found");
    prover.worker.onmessage = ({ data }) => {
      if (data.loaded) prover.said(`Loading Python: ${data.loaded} of ${data.of} parts`);
      if (data.failed) fail(data.failed);
      if (data.answer) {
        prover.asked.get(data.number)(data.answer);
        prover.asked.delete(data.number);
      }
    };
  };
  const end = (answer) => {
    prover.worker?.terminate();
    prover.worker = null;
    prover.asked.forEach((done) => done(answer));
    prover.asked.clear();
  };
  const fail = (why) => end({ verdict: "lost", words: `Python could not be loaded: ${why}. Check the connection, and try again.` });
  let count = 0;
  const check = (sources, said) => new Promise((done) => {
    prover.said = said;
    if (!prover.worker) start();
    prover.asked.set(++count, done);
    prover.worker.postMessage({ number: count, sources });
  });

  // Formulas of an answer are set as the build sets those of the page, by the same MathJax; here it draws their letters.
  let typesetter = null;
  const loadTypesetter = () => typesetter ??= new Promise((done, lost) => {
    window.MathJax = { startup: { typeset: false, ready: () => {
      window.MathJax.startup.defaultReady();
      document.head.append(window.MathJax.svgStylesheet());
      window.MathJax.startup.promise.then(done);
    } }, svg: { fontCache: "none" }, options: { enableMenu: false } };
    document.head.append(make("script", { src: new URL("tex-svg-full.js", root), onerror: lost }));
  });
  const formula = (tex) => {
    const drawn = window.MathJax.tex2svg(tex, { display: false });
    drawn.dataset.tex = tex;
    drawn.firstElementChild.setAttribute("aria-hidden", "true");
    drawn.append(make("mjx-assistive-mml", { innerHTML: window.MathJax.tex2mml(tex, { display: false }) }));
    return make("span", { className: "math" }, drawn);
  };
  const withFormulas = (text) => text.split("$").map((part, k) => (k % 2 ? formula(part) : part));
  const chain = ({ domain, first, lines, at, values }) => {
    const row = (sign, tex, because = []) => make("div", { className: "chain-line" },
      make("div", { className: "formula" }, formula(`${sign ? `${sign}\\; ` : ""}\\displaystyle ${tex}`)),
      make("div", { className: "because" }, ...because));
    const rules = (by) => by.flatMap((rule) => [": ", formula(rule)]);
    const rows = [row("", first), ...lines.map((line) => row(line.sign, line.tex, [...withFormulas(line.because), ...rules(line.by)]))];
    rows.at(-1).classList.add(values ? "refuted" : "last");
    const listed = (all) => all.flatMap((tex, k) => [k ? ", " : "", formula(tex)]);
    if (values) rows.push(row("", values, ["at ", ...(at.length ? listed(at) : ["any point"])]));
    if (values) rows.at(-1).classList.add("refuted");
    const conditions = listed(domain);
    const under = domain.length ? [make("p", { className: "domain" }, "For ", ...conditions, ":")] : [];
    return make("div", { className: "chain" }, ...under, ...rows);
  };

  const loaded = fetch(new URL(`cells/${page}.json`, root)).then((answer) => answer.json());
  const now = []; // what stands in the editors that are open, by the number of the cell

  // Puts the editor of a cell in the place of its code, and starts Python.
  window.openDerivation = async (code, number, bar) => {
    const cells = await loaded, { source, breaks } = cells[number];
    const field = make("textarea", { className: "live-code", value: source, spellcheck: false, rows: source.split("\n").length + 1 });
    field.setAttribute("aria-label", "The code of the derivation");
    const status = make("p", { className: "live-status", role: "status" }), answer = make("div", { className: "live-answer" });
    const button = (words, action) => make("button", { type: "button", textContent: words, onclick: action });
    const say = (words) => { status.textContent = words; };
    const show = async ({ verdict, words, layout }) => {
      status.dataset.verdict = verdict;
      const works = verdict === "shown" || verdict === "ran";
      const refuted = !works && layout;
      say(works ? WORDS[verdict] : refuted ? `Refuted: step ${layout.lines.length} does not hold.` : `${WORDS[verdict] ?? ""}${words}`);
      if (layout || status.textContent.includes("$")) await loadTypesetter();
      if (!works && !refuted) status.replaceChildren(...withFormulas(status.textContent)); // a reason may hold formulas
      answer.replaceChildren(...(layout ? [chain(layout)] : works && words ? [make("pre", { textContent: words })] : []));
    };
    const run = async () => {
      now[number] = field.value;
      delete status.dataset.verdict;
      say("Checking");
      const late = setTimeout(() => say("Still at it. Stop ends it."), PATIENCE);
      const sources = cells.slice(0, number + 1).map((cell, k) => now[k] ?? cell.source);
      const found = await check(sources, say);
      clearTimeout(late);
      await show(found).catch(() => say(`${WORDS[found.verdict]} Its formulas could not be loaded.`));
    };
    const put = (text) => { field.value = now[number] = text; };
    const reset = () => {
      put(source);
      answer.replaceChildren();
      delete status.dataset.verdict;
      say("As it was.");
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) { event.preventDefault(); run(); }
    });
    const errors = breaks.map(({ name, right, wrong }) => button(name, () => {
      put(source.replace(right, () => wrong));
      run();
    }));
    const stop = () => end({ verdict: "stopped", words: "Stopped. The next check starts Python anew." });
    bar.replaceChildren(field, make("p", { className: "live-buttons" }, button("Check", run), button("Stop", stop), button("Reset", reset)),
      ...(errors.length ? [make("p", { className: "live-buttons" }, "Break it: ", ...errors)] : []), status, answer);
    code.hidden = true;
    field.focus();
    check([], say).then((found) => { if (found.verdict === "ran") say("Python is here: change a sign, and press Check."); else show(found); });
  };
})();
