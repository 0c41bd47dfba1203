// A box whose content is wider than itself scrolls; it must then be reachable with the keyboard, and say what it is.
// An observer, because boxes change: solutions unfold, telephones are turned.
(() => {
  const formulas = "div.math mjx-container, span.math";
  const boxes = `${formulas}, .pst-scrollable-table-container, .highlight pre, .cell_output pre, div.sortable`;

  // Telephones show no bar: what is cut off fades out there, until it is scrolled to its end.
  const fade = (box) => box.classList.toggle("cut-off", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);

  // A formula that is a little too wide is set smaller; what is still too wide then scrolls.
  const SMALLEST = 0.7;
  const fit = (box) => {
    const { style } = box.matches("span.math") ? box : box.parentElement; // a formula in a line of its own has its size
    style.fontSize = "";
    const room = box.clientWidth / box.scrollWidth;
    if (room < 1) style.fontSize = `${100 * Math.max(room - 0.005, SMALLEST)}%`;
  };

  const mark = (box) => {
    if (!box) return; // what was in it has left the page meanwhile
    if (box.matches(formulas)) fit(box);
    if (box.matches("div.sortable")) return fade(box); // says by itself what it is
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches(formulas) ? "Formula, scrolls sideways" : "Scrolls sideways");
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
    fade(box);
  };

  // The content is watched too: when a font arrives it grows, and the box around it does not.
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target.closest(boxes))));

  addEventListener("load", async () => {
    await document.fonts.ready;
    document.querySelectorAll(boxes).forEach((box) => {
      [box, ...box.children].forEach((element) => observer.observe(element));
      box.addEventListener("scroll", () => fade(box), { passive: true });
    });
  });
})();

// A link to a proof opens what it is folded in; not every browser does so by itself.
(() => {
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let box = target; (box = box?.closest("details.folded:not([open])"));) box.open = true;
    if (target?.closest("details.folded")) target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
})();

// Who copies a formula gets its TeX: its letters are drawn by the style sheet, and are no text.
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || !event.clipboardData) return;
  const copied = document.createElement("div");
  for (let k = 0; k < selection.rangeCount; k++) copied.append(selection.getRangeAt(k).cloneContents());
  const formulas = copied.querySelectorAll("mjx-container[data-tex]");
  if (!formulas.length) return;
  formulas.forEach((formula) => {
    const dollars = formula.hasAttribute("display") ? "$$" : "$";
    formula.replaceWith(dollars + formula.dataset.tex + dollars);
  });
  event.clipboardData.setData("text/html", copied.innerHTML);
  document.body.append(copied); // a text has the lines of its layout only where it is laid out
  event.clipboardData.setData("text/plain", copied.innerText);
  copied.remove();
  event.preventDefault();
});

// The page as Markdown. Where nothing can be copied, as without https, the link leads to it.
document.querySelectorAll(".btn-copy-markdown-button").forEach((link) => {
  const said = link.querySelector(".btn__text-container"), words = said.textContent;
  const tell = (text) => { said.textContent = text; };
  link.addEventListener("click", async (event) => {
    if (!navigator.clipboard?.write) return;
    event.preventDefault();
    event.stopPropagation(); // else the menu closes, and nobody sees what it says
    // Safari lets a page copy only what was asked for at once.
    const text = fetch(link.href).then((answer) => (answer.ok ? answer.blob() : Promise.reject(answer.status)))
      .then((blob) => new Blob([blob], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })])
      .then(() => tell("Copied"), () => tell("It could not be copied"));
    setTimeout(tell, 1500, words);
  });
});

// Tables that sort: a button in each heading sorts the rows by its column, and back.
(() => {
  const value = (row, k) => row.cells[k].textContent.trim();
  const number = (text) => (text === "" ? NaN : Number(text.replace(/[,×]/g, "")));

  // Numbers by size, words by the alphabet; empty cells come last either way.
  const order = (k, sign) => (a, b) => {
    const [x, y] = [value(a, k), value(b, k)];
    if (!x || !y) return !x - !y;
    const difference = number(x) - number(y);
    return sign * (Number.isNaN(difference) ? x.localeCompare(y) : difference);
  };

  document.querySelectorAll("div.sortable table").forEach((table) => {
    const [headings, body] = [[...table.tHead.rows[0].cells], table.tBodies[0]];
    headings.forEach((heading, k) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const up = heading.getAttribute("aria-sort") !== "ascending";
        headings.forEach((each) => each.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        body.append(...[...body.rows].sort(order(k, up ? 1 : -1)));
      });
    });
  });
})();
