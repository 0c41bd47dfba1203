// The tables of "Which encoding shall I take?": a button in each heading sorts the rows by its column, and back.
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
