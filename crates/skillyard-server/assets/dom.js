// Elements made of text: nothing foreign is ever read as HTML.

export const make = (tag, name, ...content) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter((each) => each !== undefined && each !== null));
  return element;
};

const csrf = document.querySelector("meta[name=csrf]").content;

/** A request of this page to its own server. */
export const send = (method, path, body) =>
  fetch(path, {
    method,
    headers: { "content-type": "application/json", "x-csrf-token": csrf },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** What an answer that is a problem says. */
export const reason = async (answer) => {
  try {
    return (await answer.json()).detail ?? answer.statusText;
  } catch {
    return answer.statusText || "the server did not answer";
  }
};
