// The chat: follows a session's events and shows them. Everything foreign is put in as text.
"use strict";
(() => {
  const chat = document.querySelector(".chat");
  const log = document.getElementById("log");
  const active = document.getElementById("active");
  const composer = document.getElementById("composer");
  const box = document.getElementById("message");
  const menu = document.getElementById("menu");
  const send = composer.querySelector("button");
  const csrf = document.querySelector("meta[name=csrf]").content;
  let session = chat.dataset.session;
  let answer = null;
  const cards = new Map();
  const questions = new Map();

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const post = (path, body) =>
    fetch("/api/v1/sessions" + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": csrf },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const add = (element) => {
    document.getElementById("hello")?.remove();
    const near = log.scrollHeight - log.scrollTop - log.clientHeight < 120;
    log.append(element);
    if (near) log.scrollTop = log.scrollHeight;
    return element;
  };
  const problem = (text) => add(make("p", "note bad", text)).setAttribute("role", "alert");
  const busy = (is) => {
    send.disabled = is;
    chat.setAttribute("aria-busy", String(is));
  };

  const activate = (name) => {
    if ([...active.children].some((chip) => chip.textContent === name)) return;
    const chip = make("a", "pill enabled", name);
    chip.href = "/skills/" + encodeURIComponent(name);
    active.append(chip);
  };
  const show = {
    user(event) {
      answer = null;
      busy(true);
      add(make("div", "said user", event.text));
    },
    text(event) {
      if (!answer) answer = { text: "", place: add(make("div", "said partner")) };
      answer.text += event.text;
      // Names between backticks are set as code; everything else is plain text.
      const pieces = answer.text.split("`");
      answer.place.replaceChildren(...pieces.map((piece, at) => (at % 2 && at < pieces.length - 1 ? make("code", "", piece) : document.createTextNode(piece))));
    },
    tool_call(event) {
      answer = null;
      const card = make("details", "tool");
      card.dataset.tool = event.name;
      const head = make("summary");
      const detail = event.input.path || event.input.query || "";
      head.append(make("code", "", event.name), " ", make("span", "", event.input.name || ""), " ", make("span", "muted", detail));
      head.append(make("span", "pill plain state", "running"));
      card.append(head, make("p", "label", "Input"), make("pre", "", JSON.stringify(event.input, null, 2)));
      cards.set(event.id, { card, name: event.name, skill: event.input.name });
      add(card);
    },
    tool_result(event) {
      const known = cards.get(event.id);
      if (!known) return;
      const state = known.card.querySelector(".state");
      state.textContent = event.ok ? "done" : "failed";
      state.className = "pill state " + (event.ok ? "ok" : "failed");
      known.card.append(make("p", "label", "Output"), make("pre", "", event.output));
      cards.delete(event.id);
      if (event.ok && known.name === "skill_load") activate(known.skill);
    },
    approval(event) {
      const { id, action, reason } = event.question;
      const card = make("div", "tool approval");
      card.setAttribute("role", "group");
      card.append(make("p", "", action), make("p", "muted", reason));
      for (const [consent, text] of [["once", "Allow once"], ["session", "Allow in this chat"], ["always", "Always for this content"], ["no", "Deny"]]) {
        const button = make("button", consent === "once" ? "button primary" : "button", text);
        button.type = "button";
        button.addEventListener("click", async () => {
          const told = await post(`/${session}/approvals/${encodeURIComponent(id)}`, { consent });
          if (!told.ok) problem((await told.json()).detail);
        });
        card.append(button, " ");
      }
      questions.set(id, card);
      add(card);
    },
    decided(event) {
      const card = questions.get(event.id);
      card?.querySelectorAll("button").forEach((button) => button.remove());
      card?.append(make("p", "pill " + (event.consent === "no" ? "denied" : "ok"), event.consent === "no" ? "denied" : "allowed: " + event.consent));
    },
    problem(event) {
      problem(event.text);
    },
    done() {
      answer = null;
      busy(false);
    },
  };

  const follow = () => {
    const events = new EventSource(`/api/v1/sessions/${session}/events`);
    events.addEventListener("message", (message) => {
      const event = JSON.parse(message.data);
      show[event.type]?.(event);
    });
  };
  const say = async (text) => {
    if (!session) {
      const opened = await post("");
      if (!opened.ok) return problem((await opened.json()).detail);
      session = (await opened.json()).id;
      history.replaceState(null, "", "/chat/" + session);
      follow();
    }
    const told = await post(`/${session}/messages`, { text });
    if (!told.ok) problem((await told.json()).detail);
  };

  // The menu of skills behind a slash.
  let skills = null;
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
  const suggest = async () => {
    const found = word();
    if (!found) return close();
    if (!skills) {
      const answer = await fetch("/api/v1/skills?status=enabled&limit=500");
      skills = answer.ok ? (await answer.json()).skills.filter((skill) => skill.user_invocable) : [];
    }
    const typed = found[1].toLowerCase();
    const fits = skills.filter((skill) => skill.name.includes(typed));
    fits.sort((a, b) => b.name.startsWith(typed) - a.name.startsWith(typed));
    menu.replaceChildren(
      ...fits.slice(0, 50).map((skill, at) => {
        const item = make("li", "");
        item.id = "skill-" + at;
        item.setAttribute("role", "option");
        item.append(make("strong", "", "/" + skill.name), make("span", "muted", skill.description));
        item.addEventListener("mousedown", (event) => {
          event.preventDefault();
          choose(skill.name);
        });
        item.dataset.name = skill.name;
        return item;
      }),
    );
    chosen = 0;
    menu.hidden = fits.length === 0;
    mark();
  };

  box.addEventListener("input", suggest);
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (!menu.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const count = menu.children.length;
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      mark();
    } else if (!menu.hidden && (event.key === "Tab" || event.key === "Enter")) {
      event.preventDefault();
      choose(menu.children[chosen].dataset.name);
    } else if (event.key === "Escape") {
      close();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      composer.requestSubmit();
    }
  });
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = box.value.trim();
    if (!text || send.disabled) return;
    box.value = "";
    close();
    say(text);
  });
  if (session) follow();
  box.focus();
})();
