// Copies a key that is shown this once.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const secret = button.closest("[data-secret]").querySelector("textarea");
    button.hidden = false;
    button.addEventListener("click", async () => {
      secret.select();
      try {
        await navigator.clipboard.writeText(secret.value);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Press Ctrl+C";
      }
    });
  }
});
