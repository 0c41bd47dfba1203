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

  // Python in colours, by the names that the page's own code has for them.
  const KINDS = ["c1", "s2", "mi", "k", "kc", "o"];
  const KEYWORDS = "and|as|assert|class|def|del|elif|else|except|finally|for|from|if|import|in|is|lambda|not|or|raise|return|try|while|with|yield";
  const TOKENS = new RegExp(`(#.*)|((?:\\b[rbfu]+)?(?:"(?:\\\\.|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\])*'?))|(\\b\\d[\\d_.]*)|\\b(${KEYWORDS})\\b|\\b(True|False|None)\\b|([-+*/%=<>!&|^~@]+)`, "g");
  const coloured = (line) => {
    const row = make("span", { className: "live-line" });
    let at = 0;
    for (const found of line.matchAll(TOKENS)) {
      const kind = KINDS[found.slice(1).findIndex(Boolean)];
      row.append(line.slice(at, found.index), make("span", { className: kind, textContent: found[0] }));
      at = found.index + found[0].length;
    }
    row.append(line.slice(at), "\n");
    return row;
  };

  // A field for text, and the same text in colours behind it. What is put into it can be undone like what is typed.
  const codeField = (value, run) => {
    const field = make("textarea", { value, spellcheck: false, autocapitalize: "off" }), behind = make("pre", { ariaHidden: "true" });
    field.setAttribute("aria-label", "The code of the derivation");
    const draw = () => behind.replaceChildren(...field.value.split("\n").map(coloured));
    const type = (start, end, text) => {
      field.focus({ preventScroll: true });
      field.setSelectionRange(start, end);
      if (!document.execCommand("insertText", false, text)) field.setRangeText(text, start, end, "end");
      draw();
    };
    const lineStart = () => field.value.lastIndexOf("\n", field.selectionStart - 1) + 1;
    const indent = (how) => {
      const from = lineStart(), text = how(field.value.slice(from, field.selectionEnd));
      type(from, field.selectionEnd, text);
      field.setSelectionRange(from, from + text.length);
    };
    const newLine = () => {
      const before = field.value.slice(lineStart(), field.selectionStart), deeper = /[:([{]\s*$/.test(before) ? "    " : "";
      type(field.selectionStart, field.selectionEnd, `\n${/^ */.exec(before)[0]}${deeper}`);
    };
    field.addEventListener("input", draw);
    field.addEventListener("keydown", (event) => {
      const control = event.ctrlKey || event.metaKey;
      const action = event.isComposing ? null
        : event.key === "Enter" ? (control || event.shiftKey ? run : newLine)
        : control && event.key === "]" ? () => indent((text) => text.replace(/^/gm, "    "))
        : control && event.key === "[" ? () => indent((text) => text.replace(/^ {1,4}/gm, "")) : null;
      if (!action) return;
      event.preventDefault();
      action();
    });
    draw();
    return {
      field,
      box: make("div", { className: "live-code highlight" }, behind, field),
      put: (text) => type(0, field.value.length, text),
      mark: ([first, last] = []) => [...behind.children].forEach((row, k) => row.classList.toggle("wrong", k + 1 >= first && k + 1 <= last)),
    };
  };

  const loaded = fetch(new URL(`cells/${page}.json`, root)).then((answer) => answer.json());
  const now = []; // what stands in the editors that are open, by the number of the cell

  // Puts the editor of a cell in the place of its code; `planted` names an error to plant in it at once.
  window.openDerivation = async ({ code, number, bar, megabytes, planted }) => {
    const cells = await loaded, { source, breaks } = cells[number];
    const asStored = code.parentElement.querySelectorAll(":scope > .chain");
    const status = make("p", { className: "live-status", role: "status" }), answer = make("div", { className: "live-answer" });
    const say = (words) => { status.textContent = words; };
    const unsay = () => {
      say("");
      mark();
      delete status.dataset.verdict;
    };
    const clear = () => {
      unsay();
      answer.replaceChildren();
    };
    const show = async ({ verdict, words, layout, chain: set, lines }) => {
      const works = verdict === "shown" || verdict === "ran";
      const refuted = !works && layout;
      say(works ? WORDS[verdict] : refuted ? `Refuted: step ${layout.lines.length} does not hold.` : `${WORDS[verdict] ?? ""}${words}`);
      status.dataset.verdict = verdict;
      mark(lines);
      asStored.forEach((stored) => { stored.hidden = Boolean(layout) || field.value !== source; });
      if (set) return void (answer.innerHTML = set);
      if (layout || status.textContent.includes("$")) await loadTypesetter();
      if (!works && !refuted) status.replaceChildren(...withFormulas(status.textContent)); // a reason may hold formulas
      answer.replaceChildren(...(layout ? [chain(layout)] : works && words ? [make("pre", { textContent: words })] : []));
    };
    const button = (words, onclick) => make("button", { type: "button", textContent: words, onclick });
    const ask = async (sources) => {
      note.remove();
      stop.hidden = false;
      const found = await check(sources, say);
      stop.hidden = !prover.asked.size;
      return found;
    };
    const run = async () => {
      now[number] = field.value;
      clear();
      say("Checking");
      const late = setTimeout(() => say("Still at it. Stop ends it."), PATIENCE);
      const found = await ask(cells.slice(0, number + 1).map((cell, k) => now[k] ?? cell.source));
      clearTimeout(late);
      await show(found).catch(() => say(`${WORDS[found.verdict]} Its formulas could not be loaded.`));
    };
    const asItWas = (k) => (now[k] ?? cells[k].source) === cells[k].source;
    const plant = ({ right, wrong, answer: stored }) => {
      put(now[number] = source.replace(right, () => wrong));
      clear();
      return stored && cells.slice(0, number).every((_, k) => asItWas(k)) ? show(stored) : run();
    };
    const reset = () => {
      put(now[number] = source);
      clear();
      asStored.forEach((stored) => { stored.hidden = false; });
      say("As it was.");
    };
    const { field, box, put, mark } = codeField(source, run);
    const wake = async () => {
      const found = await ask([]);
      if (found.verdict !== "ran") show(found);
      else if (!status.dataset.verdict) say("Python is here: press Check.");
    };
    field.addEventListener("beforeinput", wake, { once: true });
    field.addEventListener("input", unsay);
    const errors = breaks.map((one) => make("button", { type: "button", textContent: one.name, onclick: ({ currentTarget }) => {
      plant(one);
      currentTarget.focus({ preventScroll: true }); // for who goes on to the next by the keyboard
    } }));
    const stop = button("Stop", () => end({ verdict: "stopped", words: "Stopped. The next check starts Python anew." }));
    stop.hidden = true;
    const note = make("span", {}, prover.worker ? "" : `loads Python, ${megabytes} MB, once`);
    bar.replaceChildren(box, make("p", { className: "live-buttons" }, button("Check", run), stop, button("Reset", reset), note),
      ...(errors.length ? [make("p", { className: "live-buttons" }, "Break it: ", ...errors)] : []), status, answer);
    code.hidden = true;
    const first = breaks.findIndex(({ name }) => name === planted);
    if (first >= 0) return errors[first].click();
    field.focus();
    say("Change a sign, and press Check.");
  };
})();
