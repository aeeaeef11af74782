// Copies commands, and brings `/` to the search box. Without it the pages only lack these.
"use strict";
(() => {
  if (navigator.clipboard) {
    for (const button of document.querySelectorAll("button[data-copy]")) {
      const label = button.firstElementChild;
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = button.parentElement.querySelector("code").textContent;
        try {
          await navigator.clipboard.writeText(text);
          label.textContent = "Copied";
        } catch {
          label.textContent = "Not allowed";
        }
        setTimeout(() => { label.textContent = "Copy"; }, 1500);
      });
    }
  }
  // A page with a search of its own listens itself.
  if (document.querySelector("form[data-live]")) return;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      document.querySelector(".find input")?.focus();
    }
  });
})();
