// Elements made of text: nothing foreign is ever read as HTML.

export const make = (tag, name, ...content) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter((each) => each !== undefined && each !== null));
  return element;
};

/** The same for words of people, which go in the direction of their first letter. */
export const said = (tag, name, ...content) => {
  const element = make(tag, name, ...content);
  element.dir = "auto";
  return element;
};

const value = (page) => page.querySelector("meta[name=csrf]")?.content ?? "";
let csrf = value(document);

const asked = async (path, options) => {
  try {
    return await fetch(path, options);
  } catch {
    return Response.error();
  }
};
/** Whether pages carry another value since this one was loaded, as after a new start of the server. */
export const renewed = async () => {
  const page = await asked(location.pathname);
  if (!page.ok) return false;
  const now = value(new DOMParser().parseFromString(await page.text(), "text/html"));
  const is = now !== "" && now !== csrf;
  if (is) csrf = now;
  return is;
};
/** The value that changes are sent with. */
export const proof = () => csrf;

/** A request of this page to its own server; where there is none, the answer is one with the status 0. */
export const send = async (method, path, body) => {
  const request = () =>
    asked(path, {
      method,
      headers: { "content-type": "application/json", "x-csrf-token": csrf },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const answer = await request();
  return answer.status === 403 && (await renewed()) ? request() : answer;
};

/** Does something whenever the reader comes back to this page, at most once a second. */
export const whenBack = (work) => {
  let last = 0;
  const back = () => {
    if (document.hidden || Date.now() - last < 1000) return;
    last = Date.now();
    work();
  };
  window.addEventListener("focus", back);
  document.addEventListener("visibilitychange", back);
};

/** What an answer that is a problem says. */
export const reason = async (answer) => {
  try {
    return (await answer.json()).detail ?? answer.statusText;
  } catch {
    return answer.statusText || "the server did not answer";
  }
};
