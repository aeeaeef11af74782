// Searches while you type. Without this script the form does the same with its button.
"use strict";
(() => {
  const form = document.querySelector("form[data-live]");
  if (!form) return;
  const place = form.dataset.live;
  let waiting = 0;
  let running = null;
  const search = async () => {
    const query = new URLSearchParams(new FormData(form));
    const address = form.action + "?" + query;
    if (running) running.abort();
    running = new AbortController();
    try {
      const answer = await fetch(address, { signal: running.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById(place);
      const shown = document.getElementById(place);
      // A login that ended, a limit, an error: the browser shows what the server says.
      if (!answer.ok || !found || !shown) return location.assign(address);
      shown.replaceChildren(...found.childNodes);
      history.replaceState(null, "", address);
    } catch (problem) {
      if (problem.name !== "AbortError") location.assign(address);
    }
  };
  const soon = (delay) => {
    clearTimeout(waiting);
    waiting = setTimeout(search, delay);
  };
  form.addEventListener("input", (event) => soon(event.target.tagName === "SELECT" ? 0 : 150));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    soon(0);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.querySelector("[data-focus-key]").focus();
    }
  });
})();
