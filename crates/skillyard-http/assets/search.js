// Searches while you type, and looks again when the reader comes back. Without this script the form does the same with its button.
"use strict";
(() => {
  const form = document.querySelector("form[data-live]");
  if (!form) return;
  const place = form.dataset.live;
  let waiting = 0;
  let running = null;
  // What has not changed stays, with whatever is focused in it.
  const put = (shown, found) => {
    if (shown.innerHTML !== found.innerHTML) shown.replaceChildren(...found.childNodes);
  };
  /** Whether what is at an address is shown now. */
  const load = async (address) => {
    if (running) running.abort();
    running = new AbortController();
    const answer = await fetch(address, { signal: running.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById(place);
    const shown = document.getElementById(place);
    if (!answer.ok || !found || !shown) return false;
    put(shown, found);
    const counts = page.querySelectorAll("[data-fresh]");
    document.querySelectorAll("[data-fresh]").forEach((each, at) => counts[at] && put(each, counts[at]));
    return true;
  };
  const search = async () => {
    waiting = 0;
    const address = form.action + "?" + new URLSearchParams(new FormData(form));
    try {
      // A login that ended, a limit, an error: the browser shows what the server says.
      if (!(await load(address))) return location.assign(address);
      history.replaceState(null, "", address);
    } catch (problem) {
      if (problem.name !== "AbortError") location.assign(address);
    }
  };
  const soon = (delay) => {
    clearTimeout(waiting);
    waiting = setTimeout(search, delay);
  };
  // Something else may have been added meanwhile; if not, or if that cannot be known, all stays as it is.
  const look = () => {
    if (!document.hidden && !waiting) load(location.href).catch(() => {});
  };
  window.addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
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
