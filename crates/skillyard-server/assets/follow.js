// Follows what happens in a session, for as long as the page is seen: a browser has six connections
// to a server, and a page that nobody looks at lets its own go.
import { reason, send } from "./dom.js";

const AGAIN = 3000;

/** Follows a session; `told` hears its events, `state` whether the server is `there`, `lost` or `gone`, why, and its status then. */
export const follow = (address, told, state) => {
  let known = "";
  let source = null;
  let timer;
  let ended = false;
  const leave = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  // The browser gives up where the answer is no stream; whether there is a session to wait for is asked.
  const ask = async () => {
    state("lost");
    const answer = await send("GET", address);
    if ([401, 403, 404].includes(answer.status)) {
      ended = true;
      state("gone", await reason(answer), answer.status);
    } else if (!document.hidden) timer = setTimeout(join, AGAIN);
  };
  const join = () => {
    if (source || ended || document.hidden) return;
    source = new EventSource(`${address}/events` + (known && `?after=${encodeURIComponent(known)}`));
    source.addEventListener("open", () => state("there"));
    source.addEventListener("message", (message) => {
      known = message.lastEventId;
      told(JSON.parse(message.data));
    });
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return state("lost");
      leave();
      ask();
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leave();
    else join();
  });
  // Whenever somebody comes the server looks whether the terminal has gone on with the session.
  window.addEventListener("focus", () => {
    leave();
    join();
  });
  join();
  return {
    stop: () => {
      ended = true;
      leave();
    },
    again: () => {
      ended = false;
      join();
    },
  };
};
