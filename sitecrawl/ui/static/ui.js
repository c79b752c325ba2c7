// Loads parts of a page anew that change while one looks at them, and lets frames end within the window. Without scripts
// the page has a link that loads it again, and frames have a height that fits most windows.
"use strict";
function show(part, text) {
  part.innerHTML = text;
  // an answer may hold several parts, each for an element elsewhere on the page
  for (const one of part.querySelectorAll("[data-for]")) {
    const place = document.getElementById(one.dataset.for);
    const unseen = place?.closest("[hidden]");
    if (unseen && !("live" in one.dataset)) continue; // nothing has begun since the page was loaded
    unseen?.removeAttribute("hidden");
    place?.replaceChildren(...one.childNodes);
  }
}
function poll(part) {
  setTimeout(async () => {
    try {
      if (document.hidden) return poll(part); // nobody looks
      const answer = await fetch(part.dataset.poll, { headers: { Accept: "text/html" } });
      if (answer.ok) show(part, await answer.text());
      if (part.querySelector("[data-done]") || [403, 404].includes(answer.status)) {
        part.removeAttribute("aria-busy");
        return;
      }
    } catch {
      // the server is away for a moment
    }
    poll(part);
  }, Number(part.dataset.every || 1000));
}
for (const part of document.querySelectorAll("[data-poll]")) poll(part);
function fit() {
  for (const one of document.querySelectorAll(".paper")) {
    const top = one.parentElement.getBoundingClientRect().top + scrollY; // its own top moves: it is sticky
    one.style.setProperty("--above", `${top}px`);
  }
}
fit();
addEventListener("resize", fit);
// a frame gets the focus as somebody taps a block in it, or steps into it
addEventListener("blur", () => {
  if (document.activeElement?.matches(".paper")) document.activeElement.scrollIntoView({ block: "nearest" });
});
