// Markdown as elements, for the words of models. It knows what models write most; whatever else
// there is stays text. Links lead to the web only, pictures are not loaded.
import { make } from "./dom.js";

const INLINE = /(`+)([^`](?:[\s\S]*?[^`])?)\1(?!`)|\*\*(\S(?:[\s\S]*?\S)?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|\[([^\]\n]+)\]\((\S+?)\)|(https?:\/\/[^\s<>"')\]]+)/;

const link = (address, ...content) => {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  const element = make("a", "", ...content);
  element.href = url.href;
  element.rel = "noopener noreferrer nofollow";
  element.target = "_blank";
  return element;
};

const inline = (text) => {
  const parts = [];
  let rest = text;
  for (;;) {
    const found = INLINE.exec(rest);
    if (!found) break;
    if (found.index) parts.push(rest.slice(0, found.index));
    const [whole, , code, strong, soft, label, target, bare] = found;
    if (code !== undefined) parts.push(make("code", "", code.trim()));
    else if (strong !== undefined) parts.push(make("strong", "", ...inline(strong)));
    else if (soft !== undefined) parts.push(make("em", "", ...inline(soft)));
    else if (label !== undefined) parts.push(link(target, ...inline(label)) ?? whole);
    else parts.push(link(bare, bare) ?? whole);
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) parts.push(rest);
  return parts;
};

const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const row = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
const isRule = (line) => line !== undefined && line.includes("|") && /^[\s|:-]+$/.test(line) && line.includes("-");

const code = (lines) => {
  const block = make("pre", "", make("code", "", lines.join("\n")));
  block.tabIndex = 0;
  return block;
};

const table = (lines) => {
  const head = make("tr", "", ...row(lines[0]).map((cell) => make("th", "", ...inline(cell))));
  const body = lines.slice(2).map((line) => make("tr", "", ...row(line).map((cell) => make("td", "", ...inline(cell)))));
  const box = make("div", "scroll", make("table", "", make("thead", "", head), make("tbody", "", ...body)));
  box.tabIndex = 0;
  return box;
};

const list = (items) => {
  const element = make(items[0].number === undefined ? "ul" : "ol");
  if (items[0].number > 1) element.start = items[0].number;
  element.append(...items.map((item) => make("li", "", ...inline(item.text))));
  return element;
};

/** The elements of a text. */
export const render = (text) => {
  const lines = text.split("\n");
  const blocks = [];
  let at = 0;
  const until = (ends) => {
    const start = at;
    while (at < lines.length && !ends(lines[at])) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^\s*(`{3,}|~{3,})/.exec(line);
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      at += 1;
      blocks.push(code(until((each) => each.trim().startsWith(fence[1]))));
      at += 1;
    } else if (heading) {
      // Headings of an answer stand below those of the page.
      blocks.push(make("h" + Math.min(6, heading[1].length + 2), "", ...inline(heading[2])));
      at += 1;
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      blocks.push(make("hr"));
      at += 1;
    } else if (line.includes("|") && isRule(lines[at + 1])) {
      blocks.push(table(until((each) => !each.includes("|"))));
    } else if (ITEM.test(line)) {
      const items = [];
      for (const each of until((next) => !next.trim() || !(ITEM.test(next) || /^\s/.test(next)))) {
        const item = ITEM.exec(each);
        if (item) items.push({ number: item[2] === undefined ? undefined : Number(item[2]), text: item[3] });
        else items.at(-1).text += "\n" + each.trim();
      }
      blocks.push(list(items));
    } else if (/^>\s?/.test(line)) {
      const quoted = until((each) => !each.startsWith(">")).map((each) => each.replace(/^>\s?/, ""));
      blocks.push(make("blockquote", "", ...render(quoted.join("\n"))));
    } else {
      const words = until((each) => !each.trim() || /^\s*(`{3,}|~{3,})|^#{1,6}\s|^>/.test(each) || (each !== line && ITEM.test(each)));
      blocks.push(make("p", "", ...inline(words.join("\n"))));
    }
  }
  return blocks;
};
