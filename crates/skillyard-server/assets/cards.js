// Cards: what an agent does, and what it asks.
import { make, reason, send } from "./dom.js";
import { growing } from "./markdown.js";

const WORDS = {
  skill_search: "Look for skills",
  skill_load: "Activate skill",
  skill_read: "Read file",
  skill_files: "List files",
  skill_run: "Run script",
  Read: "Read",
  Write: "Write",
  Edit: "Edit",
  Glob: "Find files",
  Grep: "Search in files",
  Bash: "Run command",
};
const STATES = { ok: "done", denied: "denied", failed: "failed" };

const summary = (input) => {
  if (typeof input !== "object" || input === null) return "";
  const words = [input.path ?? input.script ?? input.command ?? input.query ?? input.pattern ?? input.dir];
  if (Array.isArray(input.args)) words.push(...input.args);
  return words.filter((word) => word !== undefined).join(" ");
};

const section = (label, text) => {
  const place = make("pre", "", text);
  place.tabIndex = 0;
  place.setAttribute("aria-label", label);
  return [make("p", "label", label), place];
};

const skillLink = (name) => {
  const link = make("a", "skill-name", name);
  link.href = "/skills/" + encodeURIComponent(name);
  return link;
};

const card = (tool, title, subject, detail) => {
  const element = make("details", "tool");
  element.dataset.tool = tool;
  const state = make("span", "pill plain state", "running");
  element.append(
    make("summary", "", make("span", "tool-title", title), " ", make("strong", "", subject ?? ""), " ", make("code", "detail", detail), state),
    make("p", "muted tool-name", make("code", "", tool)),
  );
  return element;
};

const settle = (element, outcome, milliseconds) => {
  const state = element.querySelector(".state");
  const time = milliseconds === undefined ? "" : ` in ${milliseconds < 1000 ? milliseconds + " ms" : (milliseconds / 1000).toFixed(1) + " s"}`;
  state.textContent = (STATES[outcome] ?? outcome) + time;
  state.className = "pill state " + outcome;
};

/** A call that is under way. */
export const call = (event) => {
  const subject = typeof event.input === "object" ? event.input?.name : undefined;
  const element = card(event.name, WORDS[event.name] ?? event.name, subject, summary(event.input));
  element.append(...section("Input", typeof event.input === "string" ? event.input : JSON.stringify(event.input, null, 2)));
  return element;
};

/** A call that ended. */
export const result = (element, event) => {
  settle(element, event.outcome, event.milliseconds);
  element.append(...section("Output", event.output));
};

/** A skill that entered without a call. */
export const activation = (event) => {
  const element = card("skill_load", "Activate skill", event.name, event.trigger === "router" ? "chosen by the router" : "named by you");
  settle(element, "ok");
  element.append(...section("Instructions", event.content), make("p", "muted", "Digest ", make("code", "digest", event.digest)));
  return element;
};

const CHOICES = [
  ["once", "Allow once", "primary"],
  ["session", "Allow in this chat", ""],
  ["digest", "Always for these exact files", ""],
  ["no", "Deny", "danger"],
];

/** What "Allow in this chat" holds for. */
const SCOPES = {
  script: "all scripts of this skill, whatever they are called with",
  command: "exactly this command",
  change: "all changes to files",
  tool: "this tool, whatever it is called with",
};

const LINES = { "+": "new", "-": "gone", "@": "place" };

/** What will be other in a file; the first character of a line says what it is. */
const difference = (text) => {
  const place = make("pre", "difference");
  place.tabIndex = 0;
  place.setAttribute("aria-label", "What changes");
  for (const line of text.trimEnd().split("\n")) place.append(make("span", LINES[line[0]] ?? "", line + "\n"));
  return place;
};

/** A question, with its buttons. */
export const question = (asked, chat, answer) => {
  const element = make("div", "tool approval");
  element.setAttribute("role", "group");
  const what = { script: "wants to run a script", command: "The agent wants to run a command", change: "The agent wants to change a file", tool: "The agent wants to use a tool" }[asked.kind];
  const title = make("p", "approval-title", ...(asked.skill ? [skillLink(asked.skill), " "] : []), what ?? asked.kind);
  title.id = "title-" + asked.id;
  title.tabIndex = -1;
  element.setAttribute("aria-labelledby", title.id);
  const command = make("pre", "", asked.command);
  command.tabIndex = 0;
  const boxed = ["script", "command"].includes(asked.kind) ? "It runs in the sandbox. " : "";
  const input = make("pre", "", asked.input ?? "");
  input.tabIndex = 0;
  element.append(title, command, ...(asked.input === undefined ? [] : [make("p", "muted", "It reads this:"), input]), ...(asked.difference ? [difference(asked.difference)] : []), make("p", "muted", boxed, "Asked because ", asked.reason, "."));
  if (asked.digest) element.append(make("p", "muted", "Exactly these files: ", make("code", "digest", asked.digest)));
  if (asked.unshown) element.append(make("p", "muted", "It cannot be allowed always: ", asked.unshown, "."));
  const buttons = make("div", "buttons");
  for (const [consent, text, look] of CHOICES) {
    if (consent === "digest" && (asked.kind !== "script" || asked.unshown || !("mayRemember" in chat.dataset))) continue;
    if (consent !== "no" && !("mayRun" in chat.dataset)) continue;
    const button = make("button", "button " + look, text);
    button.type = "button";
    button.dataset.consent = consent;
    button.addEventListener("click", () => answer(asked.id, consent));
    buttons.append(button);
  }
  if (asked.kind in SCOPES && "mayRun" in chat.dataset) element.append(make("p", "muted", "“Allow in this chat” holds for ", SCOPES[asked.kind], "."));
  if (!("mayRun" in chat.dataset)) element.append(make("p", "note warn", "Your token may not let scripts run."));
  element.append(buttons);
  return element;
};

/** A question whose answer is on its way takes no second one. */
export const answering = (element, is) => {
  for (const button of element.querySelectorAll(".buttons button")) button.disabled = is;
};

/** A question that has its answer, or will get none: what is left of it fits on a line. */
export const decided = (element, { consent, unanswered }) => {
  const words = { once: "allowed once", session: "allowed in this chat", digest: "always allowed for these files", no: "denied" };
  const title = element.querySelector(".approval-title");
  const command = element.querySelector("pre").textContent;
  element.replaceChildren(title, make("code", "detail", command), make("span", "pill state " + (consent === "no" ? "denied" : "ok"), unanswered ?? words[consent]));
  element.classList.add("decided");
};

/** The words of a model: they come in many small pieces, and are shown once for each picture. */
export const words = (place, change) => {
  const grow = growing(place);
  let come = "";
  return (piece) => {
    if (!come) {
      requestAnimationFrame(() => {
        const shown = come;
        come = "";
        change(() => grow(shown));
      });
    }
    come += piece;
  };
};

/** A chip for an active skill, with a way to let it go. */
export const chip = (skill, session, complain) => {
  const element = make("span", "chip", skillLink(skill.name));
  const away = make("button", "", "×");
  away.type = "button";
  away.title = "Let go of this skill";
  away.setAttribute("aria-label", "Let go of " + skill.name);
  away.addEventListener("click", async () => {
    const told = await send("POST", `/api/v1/sessions/${session}/release`, { skill: skill.name });
    if (!told.ok) complain(await reason(told));
  });
  element.append(away);
  return element;
};
