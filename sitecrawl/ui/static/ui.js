// Loads parts of a page anew that change while one looks at them. Without scripts the page has a link that does the same.
"use strict";
function poll(part) {
  setTimeout(async () => {
    try {
      const answer = await fetch(part.dataset.poll, { headers: { Accept: "text/html" } });
      if (answer.ok) part.innerHTML = await answer.text();
      if (part.querySelector("[data-done]")) {
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
