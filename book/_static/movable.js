// Pictures that a reader can move. Python describes one (bookkit/movable); here it is drawn, and moved.
// The formulas of the description are sympy's, printed as JavaScript: none is written here.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const sum = (first, last, term) => {
    let total = 0;
    for (let i = first; i <= last; i++) total += term(i);
    return total;
  };
  const compile = (formula, names) => new Function("sum", ...names, `"use strict"; return ${formula}`).bind(null, sum);
  const shown = (value, digits) => {
    if (Number.isNaN(value)) return "—";
    const near = Number(value.toFixed(digits)) || 0; // no minus before a zero
    const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return near.toLocaleString("en-US", format).replace("-", "−");
  };

  // All values of what a mark runs over, the last one fastest.
  const spread = (over) => over.reduce((rows, [, first, last, count]) => rows.flatMap((row) =>
    Array.from({ length: count }, (_, k) => [...row, first + ((last - first) * k) / Math.max(count - 1, 1)])), [[]]);

  // The marks: each gets its points in units of the picture, and the paper, which knows where they lie on the screen.
  const pieces = (points, length) =>
    Array.from({ length: points.length / length }, (_, k) => points.slice(k * length, (k + 1) * length));
  const missing = (p) => Object.values(p).some(Number.isNaN);
  const DRAW = {
    line({ add, X, Y }, mark, points) {
      const length = mark.over.at(-1)[3];
      for (const piece of pieces(points, length)) {
        // A point without a value is a gap.
        let pen = "M";
        const path = piece.map((p) => {
          const step = missing(p) ? "" : `${pen}${X(p.x)} ${Y(p.y)}`;
          pen = missing(p) ? "M" : "L";
          return step;
        });
        add("path", { d: path.join("") });
      }
    },
    dots: ({ add, X, Y }, mark, points) =>
      points.forEach((p) => missing(p) || add("circle", { r: 4.5, cx: X(p.x), cy: Y(p.y) })),
    arrow({ add, X, Y }, mark, points) {
      for (const p of points.filter((p) => !missing(p))) {
        const [a, b, c, d] = [X(p.from_x), Y(p.from_y), X(p.x), Y(p.y)];
        const length = Math.hypot(c - a, d - b), turn = Math.atan2(d - b, c - a), head = Math.min(11, length);
        const wing = (by) => `${c - head * Math.cos(turn + by)} ${d - head * Math.sin(turn + by)}`;
        add("path", { class: "shaft", d: `M${a} ${b}L${c} ${d}` });
        add("path", { class: "head", d: `M${wing(0.4)}L${c} ${d}L${wing(-0.4)}` });
      }
    },
    box({ add, X, Y }, mark, points) {
      for (const p of points.filter((p) => !missing(p))) {
        const [left, right] = [X(p.x - p.width / 2), X(p.x + p.width / 2)];
        const [top, bottom] = [Y(p.y + p.height / 2), Y(p.y - p.height / 2)];
        const place = { x: left, y: top, width: right - left, height: Math.max(bottom - top, 0) };
        add("rect", { ...place, "fill-opacity": Math.min(Math.max(p.shade, 0), 1) });
      }
    },
    text({ add, X, Y }, mark, points) {
      points.forEach((p, k) => missing(p) || add("text", { x: X(p.x), y: Y(p.y) + 5, "text-anchor": mark.anchor },
        mark.words[k % mark.words.length]));
    },
  };

  const start = (box) => {
    const spec = JSON.parse(box.querySelector('script[type="application/json"]').textContent);
    const [stage, controls] = [".movable-stage", ".movable-controls"].map((name) => box.querySelector(name));
    const paper = stage.querySelector("svg");
    const [left, right, bottom, top] = spec.view;
    const names = [...Object.keys(spec.tables), ...spec.controls.map((c) => c.name)];
    const known = [...names, ...spec.lets.map(([name]) => name)];
    const first = Object.fromEntries(spec.controls.map((c) => [c.name, c.at])), settings = { ...first };
    const picture = { spec, paper, controls, settings }; // with what a hand needs to move it
    const lets = spec.lets.map(([, formula], k) => compile(formula, known.slice(0, names.length + k)));
    const marks = spec.marks.map((mark) => {
      const { kind, look, over, words, anchor, drag, ...formulas } = mark;
      const indices = over.map(([name]) => name);
      const parts = Object.entries(formulas).map(([name, formula]) => [name, compile(formula, [...known, ...indices])]);
      const rows = spread(over);
      const points = (found) =>
        rows.map((row) => Object.fromEntries(parts.map(([name, value]) => [name, value(...found, ...row)])));
      return { mark, points };
    });
    const says = spec.say.map(([words, formula, digits, unit]) => ({ words, digits, unit, value: compile(formula, known) }));
    const outputs = [...box.querySelectorAll(".movable-said output")];
    const sliders = spec.controls.filter((c) => !c.options).map((c) => {
      const input = controls.querySelector(`input[name="${c.name}"]`);
      return { c, input, label: input.previousElementSibling.lastElementChild, value: compile(c.shown, known) };
    });

    const values = (at = settings) => {
      const found = [...Object.values(spec.tables), ...spec.controls.map((c) => at[c.name])];
      lets.forEach((formula) => found.push(formula(...found)));
      return found;
    };

    const make = (name, attributes, parent, text) => {
      const element = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(attributes)) {
        element.setAttribute(key, typeof value === "number" ? Math.round(value * 100) / 100 : value);
      }
      if (text !== undefined) element.textContent = text;
      parent.append(element);
      return element;
    };

    const drawAxes = (group, X, Y, width, height) => {
      const [across, up] = spec.axes;
      for (const [at, words] of across[1]) {
        make("path", { class: "grid", d: `M${X(at)} ${Y(bottom)}V${Y(top)}` }, group);
        const x = Math.min(X(at), width - 4 * words.length); // a long number at the end stays in the drawing
        make("text", { x, y: Y(bottom) + 18, "text-anchor": "middle" }, group, words);
      }
      for (const [at, words] of up[1]) {
        make("path", { class: "grid", d: `M${X(left)} ${Y(at)}H${X(right)}` }, group);
        make("text", { x: X(left) - 7, y: Y(at) + 4, "text-anchor": "end" }, group, words);
      }
      make("text", { x: X(right), y: height - 5, "text-anchor": "end" }, group, across[0]);
      make("text", { x: 2, y: 14 }, group, up[0]);
    };

    // Where a hand can take hold: at the tip of an arrow, on a dot or a word, at the top of a bar.
    const held = (p) => [picture.X(p.x), picture.Y(p.y + (p.height ?? 0) / 2)];
    const addGrips = (group, drawn) => marks.forEach(({ mark }, k) => mark.drag && drawn[k].forEach((p, at) => {
      if (missing(p)) return;
      const [cx, cy] = held(p);
      make("circle", { class: `grip on-${mark.kind}`, cx, cy, r: 15, "data-mark": k, "data-at": at }, group);
    }));

    const draw = () => {
      const [width, height] = [stage.clientWidth, stage.clientHeight];
      if (!width || !height) return; // folded away; the observer calls again
      const axes = spec.axes.length > 0;
      const pad = axes ? { left: 46, right: 14, top: 30, bottom: 44 } : { left: 0, right: 0, top: 0, bottom: 0 };
      const X = (x) => pad.left + ((x - left) / (right - left)) * (width - pad.left - pad.right);
      const Y = (y) => height - pad.bottom - ((y - bottom) / (top - bottom)) * (height - pad.top - pad.bottom);
      paper.setAttribute("viewBox", `0 0 ${width} ${height}`);
      paper.dataset.frame = [X(left), X(right), Y(bottom), Y(top)]; // where the view lies, for the tests
      paper.replaceChildren();
      if (axes) drawAxes(make("g", { class: "axes" }, paper), X, Y, width, height);
      const found = values();
      const drawn = marks.map(({ points }) => points(found));
      marks.forEach(({ mark }, k) => {
        const group = make("g", { class: `${mark.kind} look-${mark.look}` }, paper);
        DRAW[mark.kind]({ add: (name, attributes, text) => make(name, attributes, group, text), X, Y }, mark, drawn[k]);
      });
      Object.assign(picture, { X, Y });
      addGrips(make("g", { class: "grips" }, paper), drawn);
      for (const { c, input, label, value } of sliders) {
        label.textContent = shown(value(...found), c.digits);
        input.setAttribute("aria-valuetext", label.textContent);
      }
      says.forEach(({ digits, value }, k) => {
        outputs[k].dataset.value = value(...found);
        outputs[k].textContent = shown(value(...found), digits);
      });
    };

    // Numbers are spoken once the reader rests, not at every step of a slider on its way.
    const spoken = box.querySelector(".movable-spoken");
    let pause;
    const speak = () => {
      clearTimeout(pause);
      pause = setTimeout(() => {
        spoken.textContent = says.map(({ words, unit }, k) => `${words} ${outputs[k].textContent} ${unit}`.trim()).join("; ");
      }, 500);
    };

    let waiting = false;
    const redraw = () => {
      if (!waiting) requestAnimationFrame(() => { waiting = false; draw(); });
      waiting = true;
    };
    controls.addEventListener("input", ({ target }) => {
      settings[target.dataset.name ?? target.name] = Number(target.value);
      redraw();
      speak();
    });
    controls.addEventListener("submit", (event) => event.preventDefault());
    const set = (wanted) => {
      for (const [name, value] of Object.entries(wanted)) {
        settings[name] = value;
        const input = controls.querySelector(`[name="${name}"], input[data-name="${name}"][value="${value}"]`);
        if (input.type === "radio") input.checked = true;
        else input.value = value;
      }
      redraw();
    };
    box.querySelector(".reset").addEventListener("click", () => { set(first); speak(); });
    const places = (k, wanted) => marks[k].points(values({ ...settings, ...wanted })).map(held);
    Object.assign(picture, { set, speak, places });
    set(first); // a browser that comes back to a page may have kept the sliders where they were
    draw();
    new ResizeObserver(redraw).observe(stage);
    return picture;
  };

  document.querySelectorAll(".movable").forEach((box) => { box.movable = start(box); }); // for movable_by_hand.js
})();
