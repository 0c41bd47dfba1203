// A box whose content is wider than itself scrolls; it must then be reachable with the keyboard, and say what it is.
// An observer, because boxes change: solutions unfold, telephones are turned.
(() => {
  const formulas = "div.math mjx-container, span.math";
  const boxes = `${formulas}, .pst-scrollable-table-container, .highlight pre, .cell_output pre`;

  const mark = (box) => {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches(formulas) ? "Formula, scrolls sideways" : "Scrolls sideways");
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  };

  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));

  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    document.querySelectorAll(boxes).forEach((box) => observer.observe(box));
  });
})();
