// The ledger of claims: what is typed filters the folded claims, and a link to a claim unfolds it.
(() => {
  const find = document.getElementById("ledger-find");
  const count = document.getElementById("ledger-count");
  const unfold = document.getElementById("ledger-unfold");
  const claims = [...document.querySelectorAll("details.claim")];
  const chapters = [...document.querySelectorAll("article section section")];
  const words = (text) => text.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  // The title of the chapter belongs to each of its claims.
  const said = claims.map((claim) => words(`${claim.closest("section").querySelector("h2").textContent} ${claim.textContent}`).join(" "));

  const filter = () => {
    const wanted = words(find.value);
    claims.forEach((claim, k) => { claim.hidden = !wanted.every((word) => said[k].includes(word)); });
    chapters.forEach((chapter) => { chapter.hidden = !chapter.querySelector("details.claim:not([hidden])"); });
    count.textContent = `${claims.filter((claim) => !claim.hidden).length} of ${claims.length} entries`;
  };
  const follow = () => {
    const claim = document.getElementById(location.hash.slice(1))?.closest("details");
    if (claim) { claim.open = true; claim.scrollIntoView(); }
  };

  find.addEventListener("input", filter);
  unfold.addEventListener("click", () => {
    const open = claims.some((claim) => !claim.hidden && !claim.open);
    claims.forEach((claim) => { claim.open = open && !claim.hidden; });
    unfold.textContent = open ? "Fold all" : "Unfold all";
  });
  addEventListener("hashchange", follow);
  find.parentElement.hidden = false;
  filter();
  follow();
})();
