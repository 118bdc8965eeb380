// Shows the middle of a graph that is wider than its box.
"use strict";

window.atriumGraphs = () => {
  for (const box of document.querySelectorAll("[data-graph]")) {
    if (!box.dataset.seen) box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
    box.dataset.seen = "yes";
  }
};
document.addEventListener("DOMContentLoaded", window.atriumGraphs);
