// What a reader does with a picture besides its sliders: drags what it shows, plays it, takes a link or an image along.
(() => {
  "use strict";
  const NEAR = 6; // pixels: of settings that bring the shape about as near, the one closest to today's is taken
  const LASTS = 6000; // milliseconds, from one end of a slider to the other

  const steps = ({ options, low, high, step }) => (options ? options.map((_, k) => k)
    : Array.from({ length: Math.round((high - low) / step) + 1 }, (_, k) => Number((low + k * step).toPrecision(12))));

  // All settings of these sliders, and of them those that bring a shape nearest to the pointer.
  const all = (controls) => controls.reduce((found, control) =>
    found.flatMap((one) => steps(control).map((value) => ({ ...one, [control.name]: value }))), [{}]);
  const nearest = (controls, now, away, near) => {
    const tried = all(controls).map((wanted) => ({ wanted, far: away(wanted) }));
    const best = Math.min(...tried.map(({ far }) => far));
    const spans = controls.map((c) => steps(c).length * (c.step ?? 1));
    const change = ({ wanted }) => Math.hypot(...controls.map((c, k) => (wanted[c.name] - now[c.name]) / spans[k]));
    return tried.filter(({ far }) => far <= best + near).reduce((a, b) => (change(b) < change(a) ? b : a)).wanted;
  };

  const drag = (picture) => {
    const { spec, paper, settings, places } = picture;
    let grip = null;
    const to = ({ clientX, clientY }) => {
      const sheet = paper.getBoundingClientRect(), { kind, drag: names } = spec.marks[grip.mark];
      const onCurve = kind === "dots" && names.length === 1; // it goes where the hand is across, however steep the curve
      const away = (wanted) => {
        const [x, y] = places(grip.mark, wanted)[grip.at];
        const far = Math.hypot(x - clientX + sheet.left, (onCurve ? 0 : 1) * (y - clientY + sheet.top));
        return Number.isNaN(far) ? Infinity : far;
      };
      const moved = spec.controls.filter((c) => names.includes(c.name));
      picture.set(nearest(moved, settings, away, onCurve ? 0 : NEAR));
    };
    // Else a browser takes the finger's moves for scrolling, whatever `touch-action` a circle has.
    const keep = (event) => event.target.closest(".grip") && event.preventDefault();
    paper.addEventListener("touchstart", keep, { passive: false });
    paper.addEventListener("pointerdown", (event) => {
      const circle = event.target.closest(".grip");
      if (!circle || event.button) return;
      event.preventDefault(); // no text is selected on the way
      grip = { mark: Number(circle.dataset.mark), at: Number(circle.dataset.at) };
      paper.setPointerCapture(event.pointerId);
      paper.classList.add("held");
    });
    paper.addEventListener("pointermove", (event) => grip && to(event));
    const release = () => {
      if (grip) picture.speak();
      grip = null;
      paper.classList.remove("held");
    };
    ["pointerup", "pointercancel"].forEach((name) => paper.addEventListener(name, release));
  };

  // A picture that plays by itself, once, when it comes into view; not for who asked for less motion.
  const once = (box, start) => matchMedia("(prefers-reduced-motion: reduce)").matches || new IntersectionObserver((seen, eye) => {
    if (!seen[0].isIntersecting) return;
    eye.disconnect();
    start();
  }, { threshold: 0.8 }).observe(box.querySelector(".movable-stage"));

  // From where the slider stands to its end, and from its beginning when it stands there.
  const play = (box, button) => {
    const picture = box.movable, { spec, controls, paper, settings } = picture;
    const control = spec.controls.find((c) => c.name === spec.play);
    const values = steps({ ...control, step: control.step / (spec.smooth ?? 1) });
    let timer = null;
    const stop = () => {
      if (!timer) return;
      clearInterval(timer);
      timer = null;
      button.textContent = "Play";
      if (spec.smooth) picture.set({ [control.name]: Math.round(settings[control.name]) });
      picture.speak();
    };
    const start = () => {
      let k = values.indexOf(settings[control.name]);
      if (k === values.length - 1) k = -1;
      button.textContent = "Stop";
      timer = setInterval(() => {
        picture.set({ [control.name]: values[++k] });
        if (k === values.length - 1) stop();
      }, LASTS / values.length);
    };
    button.addEventListener("click", () => (timer ? stop() : start()));
    controls.addEventListener("input", stop);
    box.querySelector(".reset").addEventListener("click", stop);
    paper.addEventListener("pointerdown", stop);
    if (box.matches(".plays")) once(box, start);
  };

  const address = ({ spec, settings }, page = location.href) => {
    const link = new URL(page);
    link.hash = `${spec.name}?${new URLSearchParams(settings)}`;
    return link.href;
  };

  const told = (button, words) => {
    const before = button.dataset.words ??= button.textContent;
    button.textContent = words;
    setTimeout(() => { button.textContent = before; }, 1500);
  };

  const link = (picture, button) => button.addEventListener("click", async () => {
    history.replaceState(null, "", address(picture));
    try {
      await navigator.clipboard.writeText(address(picture)); // there is none on a page without https
      told(button, "Copied");
    } catch {
      told(button, "In the bar");
    }
  });

  // Who follows a link to a state sees the picture in it.
  const open = (box) => {
    const [name, state] = decodeURIComponent(location.hash.slice(1)).split("?");
    const { spec, set } = box.movable;
    if (name !== spec.name || !state) return;
    const wanted = Object.fromEntries([...new URLSearchParams(state)].map(([key, value]) => [key, Number(value)]));
    const fits = (c) => steps(c).includes(wanted[c.name]);
    set(Object.fromEntries(spec.controls.filter(fits).map((c) => [c.name, wanted[c.name]])));
    box.scrollIntoView({ block: "center" });
  };

  // An image that can stand alone: page and question above the drawing; numbers, settings and a link below it. On a site
  // that does not know where it will be published there is no link that a stranger could follow.
  const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap",
    "paint-order", "font-family", "font-size", "font-weight", "text-anchor"];
  const drawing = (paper) => {
    const copy = paper.cloneNode(true), [shapes, copies] = [paper, copy].map((one) => [...one.querySelectorAll("*")]);
    copies.forEach((shape, k) => {
      const style = getComputedStyle(shapes[k]);
      LOOK.forEach((name) => shape.style.setProperty(name, style.getPropertyValue(name)));
    });
    copy.querySelector(".grips").remove();
    const [, , width, height] = paper.getAttribute("viewBox").split(" ").map(Number);
    Object.entries({ width, height, xmlns: "http://www.w3.org/2000/svg" }).forEach(([k, v]) => copy.setAttribute(k, v));
    return { width, height, source: new XMLSerializer().serializeToString(copy) };
  };
  const wrapped = (pen, width, text, between = " ") => text.split(between).reduce((lines, word) => {
    const longer = `${lines.at(-1)}${between}${word}`.trim();
    return pen.measureText(longer).width <= width ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, [""]);
  const setTo = ({ spec, controls, settings }) => spec.controls.map(({ name, words, options }) => (options
    ? `${words}: ${options[settings[name]]}`
    : `${words} ${controls.querySelector(`[name="${name}"]`).getAttribute("aria-valuetext")}`)).join("; ");
  const image = async (box) => {
    const { spec, paper } = box.movable, { width, height, source } = drawing(paper);
    const picture = new Image();
    picture.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
    await picture.decode();
    const sheet = document.createElement("canvas"), pen = sheet.getContext("2d"), style = getComputedStyle(box);
    const says = [...box.querySelectorAll(".movable-said p")].map((line) => line.innerText);
    const [title] = document.title.split(" — "), published = document.querySelector("link[rel=canonical]")?.href;
    const link = published ? [address(box.movable, published)] : [];
    const font = `15px ${style.fontFamily}`, edge = 24, line = 21;
    pen.font = font;
    const [above, below] = [[title, spec.question], [...says, setTo(box.movable)]]
      .map((texts) => texts.flatMap((text) => wrapped(pen, width, text)));
    below.push(...link.flatMap((text) => wrapped(pen, width, text, ""))); // it has no spaces to break at
    sheet.width = 2 * (width + 2 * edge);
    sheet.height = 2 * (height + line * (above.length + below.length) + 4 * edge);
    pen.scale(2, 2);
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(0, 0, sheet.width, sheet.height);
    [pen.fillStyle, pen.font] = [style.color, font];
    const write = (lines, top) => lines.forEach((text, k) => pen.fillText(text, edge, top + (k + 0.7) * line));
    write(above, edge);
    pen.drawImage(picture, edge, 2 * edge + line * above.length, width, height);
    write(below, 3 * edge + line * above.length + height);
    return sheet.toDataURL("image/png");
  };
  const save = (box, button) => button.addEventListener("click", async () => {
    const anchor = document.createElement("a");
    Object.assign(anchor, { href: await image(box), download: `${box.movable.spec.name}.png` }).click();
  });

  const boxes = [...document.querySelectorAll(".movable")];
  boxes.forEach((box) => {
    const button = (name) => box.querySelector(`.movable-buttons .${name}`);
    drag(box.movable);
    if (button("play")) play(box, button("play"));
    link(box.movable, button("link"));
    save(box, button("image"));
    open(box);
  });
  addEventListener("hashchange", () => boxes.forEach(open));
})();
