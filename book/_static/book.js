// A box whose content is wider than itself scrolls; it must then be reachable with the keyboard, and say what it is.
// An observer, because boxes change: solutions unfold, telephones are turned.
(() => {
  const formulas = "div.math mjx-container, span.math";
  const boxes = `${formulas}, .pst-scrollable-table-container, .highlight pre, .cell_output pre`;

  const mark = (box) => {
    if (!box) return; // what was in it has left the page meanwhile
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches(formulas) ? "Formula, scrolls sideways" : "Scrolls sideways");
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  };

  // The content is watched too: when a font arrives it grows, and the box around it does not.
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target.closest(boxes))));

  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;
    document.querySelectorAll(boxes).forEach((box) => {
      [box, ...box.children].forEach((element) => observer.observe(element));
    });
  });
})();
