// Keeps the page of a run up to date while the run is not over: asks every two seconds, replaces what has changed.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector("[data-run]");
  if (!page || page.dataset.over === "yes") return;
  const lost = page.querySelector("[data-lost]");
  const SECONDS = 2;

  // What was opened stays open, and what was scrolled stays where it is.
  const replace = (part, html) => {
    const open = new Set([...part.querySelectorAll("details[open]")].map((folded) => folded.dataset.place));
    const box = part.querySelector("[data-graph]");
    const [left, top] = box ? [box.scrollLeft, box.scrollTop] : [0, 0];
    const focused = part.contains(document.activeElement) ? document.activeElement.closest("details")?.dataset.place : null;
    part.innerHTML = html;
    for (const folded of part.querySelectorAll("details")) {
      folded.open = open.has(folded.dataset.place);
      if (focused && folded.dataset.place === focused) folded.querySelector("summary").focus();
    }
    const next = part.querySelector("[data-graph]");
    if (next && box) {
      next.dataset.seen = "yes";
      next.scrollLeft = left;
      next.scrollTop = top;
    }
  };

  const show = (found) => {
    for (const [name, { key, html }] of Object.entries(found.parts)) {
      const part = page.querySelector(`[data-part="${name}"]`);
      if (!part || part.dataset.key === key) continue;
      if (key && part.querySelector("textarea")?.value) continue; // somebody writes there
      replace(part, html);
      part.dataset.key = key;
    }
  };

  const look = async () => {
    let found = null;
    if (!document.hidden) {
      try {
        const answer = await fetch(page.dataset.run, { headers: { Accept: "application/json" }, redirect: "error" });
        if (answer.status === 403 || answer.status === 404) return void (lost.hidden = false);
        found = answer.ok ? await answer.json() : null;
      } catch {
        found = null; // the server is away, or the session is over: the next look may find it again
      }
      lost.hidden = found !== null;
    }
    if (found) show(found);
    if (!found?.over) setTimeout(look, SECONDS * 1000);
  };

  setTimeout(look, SECONDS * 1000);
});
