// On a phone the list of pages opens at the present one; elsewhere the theme sees to that.
document.querySelectorAll(".primary-toggle").forEach((button) =>
  button.addEventListener("click", () =>
    setTimeout(() => {
      const here = document.querySelector("#pst-primary-sidebar-modal .toctree-l1.current");
      here?.scrollIntoView({ block: "center" });
    })
  )
);

// A line on top says how far one has read; on a phone the bar names the section.
(() => {
  const article = document.querySelector("article.bd-article"), bar = document.querySelector(".header-article-items__start");
  if (!article || !bar) return;
  const added = (name, place) => {
    const element = document.createElement("div");
    element.className = name;
    element.setAttribute("aria-hidden", "true"); // headings and the browser say the same
    place.append(element);
    return element;
  };
  const line = added("reading", document.body), section = added("reading-section", bar);
  const headings = [...article.querySelectorAll("h2")];
  const words = (heading) => [...heading.childNodes].filter((node) => !node.matches?.(".headerlink")).map((node) => node.textContent).join("");
  const tell = () => {
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    line.style.scale = `${scrollTop / Math.max(scrollHeight - clientHeight, 1)} 1`;
    const here = headings.findLast((heading) => heading.getBoundingClientRect().top < 100);
    section.textContent = here ? words(here) : "";
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; tell(); });
    waiting = true;
  }, { passive: true });
})();
