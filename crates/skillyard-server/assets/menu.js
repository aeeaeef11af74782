// The menu of skills behind a slash.
import { make, send, whenBack } from "./dom.js";

const MOST = 50;

/** All skills that a user may name, in words that show what would deceive; null where they cannot be had. */
const all = async () => {
  const answer = await send("GET", "/menu");
  return answer.ok ? answer.json() : null;
};

let known = null;
// The terminal may have added some meanwhile.
whenBack(() => (known = null));
/** These skills; they are asked for once, and again when the reader comes back. */
export const skills = async () => {
  known ??= all();
  const found = await known;
  if (!found) known = null;
  return found ?? [];
};

/** Offers skills while a name is typed; gives a function that handles keys and says whether it did. */
export const attach = (box, menu) => {
  let chosen = 0;
  const word = () => /(?:^|\s)\/([^\s/]*)$/.exec(box.value.slice(0, box.selectionStart));
  const close = () => {
    menu.hidden = true;
    box.removeAttribute("aria-activedescendant");
  };
  const choose = (name) => {
    const found = word();
    if (!found) return;
    const start = box.selectionStart - found[1].length;
    box.setRangeText(name + " ", start, box.selectionStart, "end");
    close();
    box.focus();
  };
  const mark = () => {
    [...menu.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    const item = menu.children[chosen];
    if (!item) return;
    box.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  const option = (skill, at) => {
    const item = make("li", "", make("strong", "", "/" + skill.shown), make("span", "muted", skill.description));
    item.id = "skill-" + at;
    item.setAttribute("role", "option");
    item.dataset.name = skill.name;
    item.addEventListener("mousedown", (event) => {
      event.preventDefault();
      choose(skill.name);
    });
    return item;
  };
  const suggest = async () => {
    if (!word()) return close();
    const offered = await skills();
    const found = word();
    if (!found) return close();
    const typed = found[1].toLowerCase();
    const place = (skill) => skill.name.toLowerCase().indexOf(typed);
    const fits = offered.filter((skill) => place(skill) >= 0);
    fits.sort((a, b) => (place(b) === 0) - (place(a) === 0));
    menu.replaceChildren(...fits.slice(0, MOST).map(option));
    chosen = 0;
    menu.hidden = fits.length === 0;
    mark();
  };
  box.addEventListener("input", suggest);
  box.addEventListener("blur", close);
  const key = (event) => {
    if (menu.hidden) return false;
    const count = menu.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      mark();
    } else if (event.key === "Enter" && word()?.[1] === menu.children[chosen].dataset.name) {
      // The name is there already: the message is meant.
      close();
      return false;
    } else if (event.key === "Tab" || event.key === "Enter") choose(menu.children[chosen].dataset.name);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    return true;
  };
  return { key, close };
};
