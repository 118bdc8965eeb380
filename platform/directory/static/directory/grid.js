// Shows what a broader tick covers: those cells are pale, and not sent.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const covers = (pattern, name) => {
    if (pattern === "*" || pattern === name) return true;
    const [resource, action] = pattern.split(":");
    const [wantedResource, wantedAction] = name.split(":");
    return (resource === "*" || resource === wantedResource) && (action === "*" || action === wantedAction);
  };

  for (const grid of document.querySelectorAll("[data-grid]")) {
    const boxes = [...grid.querySelectorAll("input[data-covers]")];
    for (const box of boxes) box.ownTick = box.checked;

    const show = () => {
      for (const box of boxes) {
        const covered = boxes.some(
          (other) => other !== box && other.ownTick && other.dataset.covers.split(" ").some((it) => covers(it, box.value)),
        );
        box.disabled = covered;
        box.checked = covered || box.ownTick;
      }
    };
    grid.addEventListener("change", ({ target }) => {
      target.ownTick = target.checked;
      show();
    });
    show();
  }
});
