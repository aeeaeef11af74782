// Markdown as elements, for the words of models. It knows what models write most; whatever else
// there is stays text. Links lead to the web only, pictures are not loaded.
import { make, said } from "./dom.js";

// Nobody emphasises more; and what is opened a thousand times and never closed is soon looked through.
const SPAN = 2_000;
const LETTER = "[\\p{L}\\p{N}_]";
/** Text between two marks, which blanks do not touch; what stands behind a backslash closes nothing. */
const between = (mark) => `${mark}(?!\\s)((?:\\\\[^]|[^\\\\]){1,${SPAN}}?)(?<!\\s)${mark}`;
/** The same where the marks are no part of a word, such as a name of a file. */
const around = (mark) => `(?<!${LETTER})${between(mark)}(?!${LETTER})`;
const INLINE = new RegExp(
  [
    "\\\\([!-\\/:-@[-`{-~])",
    "(?<!`)(`+)(?!`)([^]+?)(?<!`)\\2(?!`)",
    between("\\*\\*\\*"),
    between("\\*\\*"),
    around("__"),
    between("~~"),
    `\\*(?![\\s*])((?:\\\\[^]|[^\\\\*]){1,${SPAN}}?)(?<!\\s)\\*`,
    around("_"),
    // An address may have brackets in it that belong together, and a title behind it.
    `!?\\[((?:\\\\[^]|[^\\\\\\]\\n]){1,500})\\]\\(((?:[^\\s()]|\\([^\\s()]*\\))+)(?:\\s+(?:"[^"\\n]*"|'[^'\\n]*'))?\\)`,
    "<(https?:\\/\\/[^\\s<>]+)>",
    `(https?:\\/\\/(?:[^\\s<>"'()\\]]|\\([^\\s<>"'()\\]]*\\))+)`,
  ].join("|"),
  "gu",
);

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
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, plain, , code, both, strong, strongToo, gone, soft, softToo, label, target, marked, bare] = found;
    // What ends a sentence ends the address in it.
    const address = marked ?? bare?.replace(/[?!.,:;*_~。，、；：！？]+$/u, "");
    if (found.index > at) parts.push(text.slice(at, found.index));
    at = found.index + (bare ? address.length : whole.length);
    if (plain !== undefined) parts.push(plain);
    else if (code !== undefined) parts.push(make("code", "", code.trim()));
    else if (both !== undefined) parts.push(make("strong", "", make("em", "", ...inline(both))));
    else if (strong ?? strongToo) parts.push(make("strong", "", ...inline(strong ?? strongToo)));
    else if (gone !== undefined) parts.push(make("del", "", ...inline(gone)));
    else if (soft ?? softToo) parts.push(make("em", "", ...inline(soft ?? softToo)));
    else if (label !== undefined) parts.push(link(target, ...inline(label)) ?? whole);
    else parts.push(link(address, address) ?? whole);
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
};

// A dot would not match all that stands in a line: U+2028 is a line's end to it, and none to us.
const LINE = /\r\n?|\n/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const HEADING = /^(#{1,6})\s+([^]*?)\s*#*$/;
// The line below a heading; one hyphen alone begins a list.
const UNDERLINE = /^ {0,3}(=+|-{2,})\s*$/;
const TASK = /^\[([ xX])\](?=\s)/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|(\d+)[.)])(\s+)([^]*)$/;
const QUOTE = /^>\s?/;
// Deeper than anybody reads; what is deeper stays text.
const DEEPEST = 12;

const isBlank = (line) => !line.trim();
const isRule = (line) => line !== undefined && line.includes("|") && /^[\s|:-]+$/.test(line) && line.includes("-");
const indent = (line) => /^\s*/.exec(line)[0].replaceAll("\t", "    ").length;
const isNumbered = (item) => item[3] !== undefined;

const code = (lines) => {
  const block = make("pre", "", make("code", "", lines.join("\n")));
  block.tabIndex = 0;
  return block;
};

/** The cells of a row; a bar in code, and one behind a backslash, is none between two of them. */
const row = (line) => {
  const cells = [""];
  for (const [piece] of line.trim().matchAll(/\\\||`+[^`]*`+|[^]/g)) {
    if (piece === "|") cells.push("");
    else cells[cells.length - 1] += piece.replaceAll("\\|", "|");
  }
  if (!cells[0]) cells.shift();
  if (!cells.at(-1)?.trim()) cells.pop();
  return cells.map((cell) => cell.trim());
};

const table = (lines) => {
  const head = make("tr", "", ...row(lines[0]).map((cell) => make("th", "", ...inline(cell))));
  const body = lines.slice(2).map((line) => make("tr", "", ...row(line).map((cell) => make("td", "", ...inline(cell)))));
  const box = make("div", "scroll", make("table", "", make("thead", "", head), make("tbody", "", ...body)));
  box.tabIndex = 0;
  return box;
};

/** The lines of each item, without what they are indented by. */
const items = (lines) => {
  const found = [];
  let fence = null;
  for (const line of lines) {
    const last = found.at(-1);
    const item = fence ? null : ITEM.exec(line);
    // Two spaces are enough for a list below, also where the words begin further in.
    if (item && (!last || indent(line) < Math.min(last.at + 2, last.within))) {
      const wide = item[4].length > 4 ? 1 : item[4].length;
      const start = indent(line);
      found.push({ number: item[3], at: start, within: start + item[2].length + wide, lines: [item[5]] });
    } else {
      last.lines.push(indent(line) < last.within ? line.trimStart() : line.replaceAll("\t", "    ").slice(last.within));
    }
    const mark = FENCE.exec(found.at(-1).lines.at(-1))?.[1];
    if (!fence) fence = mark ?? null;
    else if (mark?.startsWith(fence)) fence = null;
  }
  return found;
};

const list = (lines, depth) => {
  const all = items(lines);
  const element = said(all[0].number === undefined ? "ul" : "ol");
  if (all[0].number > 1) element.start = all[0].number;
  for (const item of all) {
    item.lines[0] = item.lines[0].replace(TASK, (_, mark) => (mark === " " ? "☐" : "☑"));
    const [first, ...others] = blocks(item.lines, depth + 1);
    // The words of an item are no paragraph of their own.
    const words = first?.tagName === "P" ? [...first.childNodes] : [first];
    element.append(make("li", "", ...words, ...others));
  }
  return element;
};

/** How many lines belong to the list that begins at a place. */
const listed = (lines, start) => {
  const numbered = isNumbered(ITEM.exec(lines[start]));
  const outer = indent(lines[start]);
  let fence = null;
  let end = start + 1;
  for (let at = end; at < lines.length; at += 1) {
    const line = lines[at];
    if (isBlank(line)) continue;
    const item = ITEM.exec(line);
    const isInside = indent(line) > outer;
    const isNext = item && indent(line) <= outer && isNumbered(item) === numbered && !RULE.test(line);
    if (!fence && !isInside && !isNext) break;
    const mark = isInside ? FENCE.exec(line)?.[1] : undefined;
    if (!fence) fence = mark ?? null;
    else if (mark?.startsWith(fence)) fence = null;
    end = at + 1;
  }
  return end - start;
};

/** The elements of lines; where each of them begins is put into `starts`. */
const blocks = (lines, depth, starts = []) => {
  if (depth > DEEPEST) return [make("p", "", lines.join("\n"))];
  const made = [];
  let at = 0;
  // Takes the line at hand in any case: nothing that is written can hold it up.
  const take = (ends) => {
    const start = at;
    at += 1;
    while (at < lines.length && !ends(lines[at])) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (!isBlank(line)) starts.push(at);
    if (isBlank(line)) at += 1;
    else if (fence) {
      made.push(code(take((each) => each.trim().startsWith(fence[1])).slice(1)));
      at += 1;
    } else if (heading) {
      // Headings of an answer stand below those of the page.
      made.push(make("h" + Math.min(6, heading[1].length + 2), "", ...inline(heading[2])));
      at += 1;
    } else if (RULE.test(line)) {
      made.push(make("hr"));
      at += 1;
    } else if (line.includes("|") && isRule(lines[at + 1])) {
      made.push(table(take((each) => !each.includes("|"))));
    } else if (ITEM.test(line)) {
      const count = listed(lines, at);
      made.push(list(lines.slice(at, at + count), depth));
      at += count;
    } else if (QUOTE.test(line)) {
      const quoted = take((each) => !each.startsWith(">")).map((each) => each.replace(QUOTE, ""));
      made.push(make("blockquote", "", ...blocks(quoted, depth + 1)));
    } else {
      const ends = (each) => isBlank(each) || [FENCE, HEADING, QUOTE, ITEM, UNDERLINE].some((kind) => kind.test(each));
      const words = inline(take(ends).join("\n"));
      const under = UNDERLINE.exec(lines[at] ?? "")?.[1];
      if (under) at += 1;
      made.push(make(under ? (under[0] === "=" ? "h3" : "h4") : "p", "", ...words));
    }
  }
  return made;
};

/** The elements of a text. */
export const render = (text) => blocks(text.split(LINE), 0);

// The last element may go on, and what is taken for the next may turn out to belong to the one before.
const OPEN = 2;

/** Puts a text that grows into a place; only what may still change is made again. */
export const growing = (place) => {
  let open = "";
  let settled = 0;
  return (piece) => {
    open += piece;
    const lines = open.split(LINE);
    const starts = [];
    const made = blocks(lines, 0, starts);
    while (place.childNodes.length > settled) place.lastChild.remove();
    place.append(...made);
    // Half of a line's end is none yet.
    if (made.length <= OPEN || open.endsWith("\r")) return;
    settled += made.length - OPEN;
    open = lines.slice(starts.at(-OPEN)).join("\n");
  };
};
