// The search: each section of the book is a record of Pagefind's index, which is loaded when a reader opens the search.
(() => {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  // Where a word stands, and what it weighs there beside the text of the section.
  const WEIGHTS = { title: 6, also: 6, whole: 0, near: 2, page: 0, claims: 2, names: 0.1, url: 0 };
  const LOOKED_UP = 0.35; // pages that repeat what chapters explain
  const NAMED = 20; // a heading or a name is all that was typed; of a part of it, a part
  const LONGEST = 5; // words of such a name
  const COMMON = 4; // a heading of more sections than that, such as In code, names none of them
  const SHOWN = 8;
  const IDLE = new Set(
    ("a about an and are as at be but by can do does explain explained for from get give has have help how i " +
      "if in into is it its me my need of on or please should show so tell that the their then there this to " +
      "use want was what when where which who will with you your").split(" "));

  // A heading or a name as a whole: tools/search.py writes them as one word.
  const whole = (query) => `"is${query.toLowerCase().replace(/[^a-z0-9+]/g, "").replaceAll("+", "plus")}"`;

  let engine;
  const open = () => (engine ??= load());

  async function load() {
    const pagefind = await import(new URL("_static/pagefind/pagefind.js", root));
    const known = await fetch(new URL("_static/pagefind/known.json", root));
    await pagefind.options({ ranking: { metaWeights: WEIGHTS } });
    const { results } = await pagefind.search(whole("looked up"));
    return { pagefind, after: new Set(results.map(({ id }) => id)), ...(await known.json()) };
  }

  const typedIn = (query) => query.toLowerCase().match(/[\p{L}\p{N}_]+\+*/gu) ?? [];
  const wordsOf = (query) => {
    const all = typedIn(query);
    const telling = all.filter((word) => !IDLE.has(word));
    return [...new Set(telling.length ? telling : all)];
  };

  // Whether there is one slip between two words: a letter more, less or other, or two neighbours exchanged.
  const near = (a, b) => {
    const same = [...a].findIndex((letter, k) => letter !== b[k]), at = same < 0 ? a.length : same;
    const [x, y] = [a.slice(at), b.slice(at)];
    const exchanged = x.slice(1, 2) + x.slice(0, 1) + x.slice(2);
    return [[x.slice(1), y], [x, y.slice(1)], [x.slice(1), y.slice(1)], [exchanged, y]].some(([p, q]) => p === q);
  };

  // What was typed, with the names of methods as they are spelled.
  async function corrected({ pagefind, names }, query) {
    const words = typedIn(query).map(async (word) => {
      if (word.length < 3 || IDLE.has(word) || (await pagefind.search(`"${word}"`)).results.length) return word;
      const meant = names.filter((name) => near(word, name));
      return meant.find((name) => name[0] === word[0]) ?? meant[0] ?? word;
    });
    return (await Promise.all(words)).join(" ");
  }

  // The headings and names that stand in what the reader typed, and how much of it each of them is. Where a name of two
  // words is one, the names of its words are not: who types speculative decoding does not ask for decoding.
  async function named(pagefind, query) {
    const typed = typedIn(query);
    const telling = new Set(wordsOf(query));
    const runs = [];
    for (let length = Math.min(LONGEST, typed.length); length; length--)
      for (let start = 0; start + length <= typed.length; start++)
        runs.push(Array.from({ length }, (_, k) => start + k));
    const ask = async (text) => (await pagefind.search(whole(text))).results.map(({ id }) => id);
    const texts = runs.map((run) => run.map((k) => typed[k]).join(""));
    const [all, ...found] = await Promise.all([query, ...texts].map(ask));
    const shares = new Map(all.map((id) => [id, 1]));
    const taken = typed.map(() => 0);
    runs.forEach((run, which) => {
      const ids = found[which];
      const share = run.filter((k) => telling.has(typed[k])).length / telling.size;
      if (!ids.length || ids.length > COMMON || run.every((k) => taken[k] > share)) return;
      for (const k of run) taken[k] = Math.max(share, taken[k]);
      for (const id of ids) shares.set(id, Math.max(share, shares.get(id) ?? 0));
    });
    return shares;
  }

  // Pagefind alone shows only what holds every word. Here each word is asked for by itself; what holds more comes first.
  async function find(query) {
    const { pagefind, after, sections } = await open();
    const words = wordsOf(query);
    if (!words.length) return [];
    const [names, ...answers] = await Promise.all([named(pagefind, query), ...words.map((w) => pagefind.search(w))]);
    const found = new Map();
    let allShares = 0;
    for (const { results } of answers) {
      // A word says little if no heading and no name has it, and nothing if it stands in every section.
      const rare = 1 - Math.sqrt(results.length / (sections + 1));
      const share = rare * Math.sqrt(results[0]?.score ?? 0);
      allShares += share;
      for (const result of results) {
        const one = found.get(result.id) ?? { score: 0, share: 0, hits: [] };
        one.score += rare * Math.sqrt(result.score); // no word may drown the others
        one.share += share;
        one.hits.push(result);
        found.set(result.id, one);
      }
    }
    const worth = ([id, { score, share }]) =>
      (score * (share / allShares) ** 2 + NAMED * (names.get(id) ?? 0)) * (after.has(id) ? LOOKED_UP : 1);
    return [...found].sort((a, b) => worth(b) - worth(a)).map(([, { hits }]) => hits);
  }

  // The part of a section's text in which most of the words stand, with the words marked.
  const LENGTH = 28;
  function excerpt(text, places) {
    const words = text.split(/\s+/);
    const marked = new Set(places);
    const count = (start) => places.filter((place) => place >= start && place < start + LENGTH - 6).length;
    const best = [0, ...places].reduce((one, other) => (count(other) > count(one) ? other : one));
    const start = Math.max(0, Math.min(best - 6, words.length - LENGTH));
    const line = document.createElement("p");
    if (start) line.append("… ");
    words.slice(start, start + LENGTH).forEach((word, k) => {
      const part = document.createElement(marked.has(start + k) ? "mark" : "span");
      part.textContent = word;
      line.append(part, " ");
    });
    if (start + LENGTH < words.length) line.append("…");
    return line;
  }

  async function item(hits) {
    const places = [];
    for (const hit of hits) places.push(...(await hit.data()).locations); // one after the other: they share a record
    const { meta, content } = await hits[0].data();
    const [entry, link, where] = ["li", "a", "small"].map((name) => document.createElement(name));
    const isPage = !meta.url.includes("#");
    link.href = new URL(meta.url, root);
    link.textContent = isPage ? meta.title : `${meta.page}: ${meta.title}`; // "In code" alone says little
    where.textContent = isPage ? meta.page : "";
    entry.append(link, " ", where, excerpt(content, places));
    return entry;
  }

  function attach(form, wide) {
    const field = form.querySelector("input");
    const said = document.createElement("div");
    said.className = "search-said";
    said.setAttribute("role", "status");
    const list = document.createElement("ol");
    list.className = "search-found";
    form.after(said, list);

    const shown = wide ? 3 * SHOWN : SHOWN;
    const count = (all) =>
      `${all} section${all > 1 ? "s" : ""}` + (all <= shown ? "" : wide ? `, the best ${shown}` : "; Enter shows more");
    let last = 0;
    async function show() {
      const now = ++last;
      const query = field.value.trim();
      try {
        const asked = await corrected(await open(), query);
        const found = await find(asked);
        const items = await Promise.all(found.slice(0, shown).map(item));
        if (now !== last) return; // the reader has typed on
        list.replaceChildren(...items);
        list.dataset.query = query; // which one is answered
        const instead = asked === typedIn(query).join(" ") ? "" : `For “${asked}”: `;
        said.textContent = !query ? "" : found.length ? instead + count(found.length) : "Nothing has these words.";
      } catch {
        said.textContent = "The index cannot be loaded. It needs the site from a server, such as make serve.";
      }
    }
    field.addEventListener("focus", () => open().catch(() => {}), { once: true });
    field.addEventListener("input", show);
    // Up and down go from the field through the answers and back.
    form.parentElement.addEventListener("keydown", (event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [field, ...list.querySelectorAll("a")];
      const next = stops[stops.indexOf(document.activeElement) + way];
      if (!way || !next) return;
      event.preventDefault();
      next.focus();
    });
    list.addEventListener("click", () => form.closest("dialog")?.close()); // the place may be on this very page
    return { field, show };
  }

  document.querySelectorAll("form.bd-search").forEach((form) => {
    const wide = Boolean(form.closest(".search-page"));
    const { field, show } = attach(form, wide);
    if (wide) {
      field.value = new URLSearchParams(location.search).get("q") ?? "";
      field.focus();
      show();
    }
  });
})();
