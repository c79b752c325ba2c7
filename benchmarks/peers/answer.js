// Main content of pages by JavaScript libraries, for `sitecrawl evaluate --peers`.
//
// Reads a JSON object a line: {"peer", "html", "url"}. Writes one for each: {"html"}, the main content, or {"error"}.
// Ends with its input. The network is never used.

import { createInterface } from "node:readline";

import { Readability } from "@mozilla/readability";
import { DefuddleClass } from "defuddle/node";
import { parseHTML } from "linkedom";

const PEERS = {
  // options of the libraries: their defaults
  "readability.js": (document) => new Readability(document).parse()?.content ?? "",
  defuddle: (document, url) => new DefuddleClass(document, { url: url || undefined, useAsync: false }).parse().content,
};

/** Return the document of a page with all of its text in `body`, where a browser puts it; linkedom adds no tags. */
function parsed(html, url) {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html>${html}</html>`);
  const { head, body, documentElement } = document;
  for (const node of [...documentElement.childNodes]) {
    if (node !== head && node !== body) body.append(node);
  }
  // what Defuddle's own reader adds for linkedom
  document.styleSheets ??= [];
  if (document.defaultView) document.defaultView.getComputedStyle ??= () => ({ display: "" });
  if (url) document.URL = url;
  return document;
}

function answer({ peer, html, url }) {
  try {
    return { html: (PEERS[peer](parsed(html, url), url) ?? "").toWellFormed() };
  } catch (error) {
    return { error: String(error) };
  }
}

globalThis.fetch = () => Promise.reject(new Error("peers use no network"));
for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = () => {}; // answers alone are written
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
}
