// The chat: follows a session's events and shows them. Everything foreign is put in as text.
import * as cards from "./cards.js";
import { make, reason, said, send, whenBack } from "./dom.js";
import * as draft from "./draft.js";
import { follow } from "./follow.js";
import { attach, skills } from "./menu.js";

const at = (id) => document.getElementById(id);
const chat = document.querySelector(".chat");
const [log, active, box, status] = [at("log"), at("active"), at("message"), at("status")];
const hello = at("hello");
const api = "/api/v1/sessions";
// As many characters as the server takes.
const LONGEST = 25_000;
let session = chat.dataset.session;
let answer = null;
let calls = new Map();
let questions = new Map();
let cost = "";
let waiting = null;
let sending = false;

const nearEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 160;
const toEnd = () => {
  log.scrollTop = log.scrollHeight;
};
let near = null;
/** Changes what is shown; who reads its end goes on reading its end. Where that is, is looked at once for each picture: a look lays the whole page out anew. */
const change = (how) => {
  if (near === null) {
    near = nearEnd();
    requestAnimationFrame(() => {
      if (near) toEnd();
      near = null;
    });
  }
  how();
};
/** Whoever said something reads what comes of it. */
const stayAtEnd = () => {
  change(() => {});
  near = true;
};
const add = (element) => {
  hello.remove();
  change(() => (waiting ? waiting.before(element) : log.append(element)));
  return element;
};
const complain = (text) => add(make("p", "note bad", text)).setAttribute("role", "alert");
const busy = (is) => {
  at("send").disabled = is;
  at("stop").hidden = !is;
  chat.setAttribute("aria-busy", String(is));
  waiting?.remove();
  waiting = null;
  if (is) {
    const dots = make("p", "waiting", make("span", "dot"), make("span", "dot"), make("span", "dot"));
    dots.setAttribute("aria-hidden", "true");
    add(dots);
    waiting = dots;
  }
};

const show = {
  reset() {
    log.replaceChildren(hello);
    [answer, calls, questions, cost] = [null, new Map(), new Map(), ""];
    status.textContent = cost;
    busy(false);
  },
  user(event) {
    answer = null;
    busy(false);
    add(said("div", "said user", event.text));
    busy(true);
    stayAtEnd();
    if (at("title").textContent !== "New chat") return;
    const title = event.text.split("\n")[0].slice(0, 60);
    for (const place of [at("title"), at("entry")]) place?.replaceChildren(title);
    document.title = `${title} · Skillyard`;
  },
  started(event) {
    if (!at("with").children.length) at("with").append(make("span", "pill plain", event.model));
  },
  skill(event) {
    answer = null;
    add(cards.activation(event));
  },
  active(event) {
    active.replaceChildren(...event.skills.map((skill) => cards.chip(skill, session, complain)));
    active.hidden = event.skills.length === 0;
  },
  note(event) {
    add(make("p", "aside muted", event.text));
  },
  text(event) {
    answer ??= cards.words(add(make("div", "said partner prose")), change);
    answer(event.text);
  },
  tool_call(event) {
    answer = null;
    calls.set(event.id, add(cards.call(event)));
  },
  tool_result(event) {
    const card = calls.get(event.id);
    if (card) cards.result(card, event);
    calls.delete(event.id);
  },
  approval(event) {
    const card = add(cards.question(event.question, chat, decide));
    questions.set(event.question.id, card);
    const state = calls.get(event.question.call)?.querySelector(".state");
    if (state) state.textContent = "waits for you";
    // Who is writing goes on writing.
    if (document.activeElement !== box && !box.value) card.querySelector(".approval-title").focus();
    card.scrollIntoView({ block: "nearest" });
  },
  decided(event) {
    const card = questions.get(event.id);
    if (!card) return;
    const here = card.contains(document.activeElement);
    cards.decided(card, event);
    if (here) box.focus();
  },
  retry(event) {
    add(make("p", "aside muted", `${event.reason}; trying again in ${event.milliseconds / 1000} s`));
  },
  usage(event) {
    const { input, cached, output, estimated } = event.session;
    cost = `${estimated ? "about " : ""}${input} tokens in (${cached} cached), ${output} out`;
    status.textContent = cost;
  },
  problem(event) {
    complain(event.text);
  },
  done() {
    answer = null;
    busy(false);
    // What never ended does not run any more.
    for (const card of calls.values()) card.querySelector(".state").textContent = "ended";
    calls.clear();
  },
};

const decide = async (id, consent) => {
  const card = questions.get(id);
  cards.answering(card, true);
  const told = await send("POST", `${api}/${session}/approvals/${encodeURIComponent(id)}`, { consent });
  if (told.ok) return;
  const why = await reason(told);
  // Somebody else was quicker, and the card says what they decided.
  if (card.classList.contains("decided")) return;
  cards.answering(card, false);
  complain(why);
};
let following = null;
const start = () => {
  const told = (event) => show[event.type]?.(event);
  following = follow(`${api}/${session}`, told, (state, why, code) => {
    chat.dataset.server = state;
    if (state === "gone") return leave(why, code);
    status.textContent = state === "there" ? cost : "The connection is lost; reconnecting…";
  });
};
/** Says that nothing more is heard of the chat, and where to go from here. */
const leave = (why, code) => {
  show.done();
  const [name, address] = code === 404 ? ["New chat", "/"] : ["Log in again", `/login?next=${encodeURIComponent(location.pathname)}`];
  const way = make("a", "", name);
  way.href = address;
  status.replaceChildren(`This chat cannot be followed any more: ${why}. `, way);
};
const begin = async () => {
  const wish = { agent: at("agent").value, model: at("model").value.trim(), strategy: at("strategy").value };
  const opened = await send("POST", api, Object.fromEntries(Object.entries(wish).filter(([, value]) => value)));
  if (!opened.ok) {
    complain(await reason(opened));
    return false;
  }
  session = (await opened.json()).id;
  draft.forget();
  history.replaceState(null, "", "/chat/" + session);
  draft.keep(box);
  at("pickers").hidden = true;
  at("more").hidden = false;
  at("export").href = `${api}/${session}/export`;
  at("export").download = session + ".json";
  if (at("replay")) at("replay").href = "/audit/replay/" + session;
  at("resume").textContent = session;
  const entry = said("a", "", "New chat");
  entry.id = "entry";
  entry.href = "/chat/" + session;
  entry.setAttribute("aria-current", "page");
  at("chats").querySelector("ul").prepend(make("li", "", entry));
  if (wish.agent) at("with").append(make("span", "pill plain", wish.agent));
  start();
  return true;
};
/** Says something; whether the server has it. */
const say = async (text) => {
  const length = [...text].length;
  if (length > LONGEST) {
    complain(`The message has ${length} characters, and ${LONGEST} are the most; it was not sent.`);
    return false;
  }
  if (!session && !(await begin())) return false;
  const told = await send("POST", `${api}/${session}/messages`, { text });
  if (!told.ok) complain(`${await reason(told)} (what you wrote is still in the box)`);
  return told.ok;
};

/** What was written stays in the box until the server has it. */
const submit = async (text) => {
  sending = true;
  box.readOnly = true;
  try {
    if (!(await say(text))) return;
    box.value = "";
    draft.forget();
  } finally {
    box.readOnly = false;
    sending = false;
  }
};

const menu = attach(box, at("menu"));
box.addEventListener("keydown", (event) => {
  if (menu.key(event)) return;
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    at("composer").requestSubmit();
  }
});
at("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = box.value.trim();
  if (!text || sending || at("send").disabled) return;
  menu.close();
  submit(text);
});
at("stop").addEventListener("click", async () => {
  const told = await send("POST", `${api}/${session}/stop`);
  if (!told.ok) complain(await reason(told));
});
at("fork").addEventListener("click", async () => {
  const forked = await send("POST", `${api}/${session}/fork`);
  if (forked.ok) location.assign("/chat/" + (await forked.json()).id);
  else complain(await reason(forked));
});
at("delete").addEventListener("click", async () => {
  if (!confirm("Delete this chat? It cannot be brought back.")) return;
  following.stop();
  const deleted = await send("DELETE", `${api}/${session}`);
  if (deleted.ok) return location.assign("/");
  following.again();
  complain(await reason(deleted));
});
// An agent brings its own model and its own way to choose skills.
at("agent").addEventListener("change", () => {
  for (const id of ["model", "strategy"]) at(id).closest("label").hidden = at("agent").value !== "";
});
if (matchMedia("(max-width: 56rem)").matches) at("chats").open = false;

const offer = async () => {
  const some = (await skills()).slice(0, 4);
  at("ideas").replaceChildren(
    ...some.map((skill) => {
      const button = make("button", "idea", make("strong", "", "/" + skill.shown), said("span", "muted", skill.description));
      button.type = "button";
      button.addEventListener("click", () => {
        box.value = `/${skill.name} `;
        box.focus();
      });
      return make("li", "", button);
    }),
  );
};
if (session) {
  hello.remove();
  start();
} else offer();
whenBack(() => session || offer());
draft.attach(box);
box.focus();
