// A field above the entries of a page that is looked up: what is typed there leaves the entries that have all its words.
(() => {
  const PAGES = {
    traps: ["article > section > section > section", "Find a symptom, a model or a function"],
    methods: ["article section > section > ul > li", "Find a method"],
    compare: ["article table.compare tbody tr", "Find an encoding or a model"],
    models: ["article div.sortable tbody tr", "Find a model type or an encoding"], // released-models
  };
  const [where, asks] = PAGES[location.pathname.match(/(\w+)\.html$/)[1]];
  const entries = [...document.querySelectorAll(where)];
  const groups = [...new Set(entries.map((entry) => entry.parentElement.closest("section")))];
  const words = (text) => text.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  const said = entries.map((entry) => words(entry.textContent).join(" "));

  const box = document.createElement("div");
  box.className = "find";
  box.innerHTML = '<label>%<input type="search" autocomplete="off"></label> <span role="status"></span>'.replace("%", asks);
  const [input, count] = [box.querySelector("input"), box.querySelector("span")];
  input.addEventListener("input", () => {
    const wanted = words(input.value);
    entries.forEach((entry, k) => { entry.hidden = !wanted.every((word) => said[k].includes(word)); });
    const left = entries.filter((entry) => !entry.hidden);
    groups.filter((group) => group.parentElement.matches("section")).forEach((group) => {
      group.hidden = !left.some((entry) => group.contains(entry));
    });
    count.textContent = wanted.length ? `${left.length} of ${entries.length}` : "";
  });
  const first = entries[0].closest(".pst-scrollable-table-container, .sortable") ?? groups[0];
  first.before(box);
})();
