// What a user does.
import assert from "node:assert/strict";
import { NOWHERE } from "./look.mjs";

const SENTENCE = "/skills-system-validation validate that activation and resources work";
const MARKER = /REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1/;

/** Nothing is set up: it greets, says that no model answers, and offers what there is. */
export async function firstVisit({ page, look }, base) {
  await page.goto(base);
  await page.getByRole("heading", { name: "What do you want to do?" }).waitFor();
  await page.getByText("No model is set up").waitFor();
  await page.locator(".idea").first().waitFor();
  await look("first-visit");
  await page.goto(`${base}/agents`);
  await page.getByRole("heading", { name: "No agents yet" }).waitFor();
  await page.goto(`${base}/audit`);
  await page.getByText("The chain is whole").waitFor();
}

const send = async (page, text) => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
const idle = (page) => page.locator(".chat:not([aria-busy=true])").waitFor();

/** The seed's own check, word for word, and what is left of it after the page is loaded again. */
export async function conformance({ page, look }, base) {
  await page.goto(base);
  const box = page.getByLabel("Message", { exact: true });
  await box.pressSequentially("/pdf");
  await page.getByRole("option", { name: /pdf-tools/ }).waitFor();
  await look("chat-menu");
  await page.keyboard.press("Enter");
  assert.equal(await box.inputValue(), "/pdf-tools ");
  await send(page, SENTENCE);
  const seen = async () => {
    await page.locator("details[data-tool=skill_load] .state.ok").waitFor();
    const read = page.locator("details[data-tool=skill_read]", { hasText: "references/REFERENCE.md" });
    await read.locator(".state.ok").waitFor();
    return read;
  };
  const read = await seen();
  await read.locator("summary").click();
  assert.match(await read.innerText(), MARKER);
  await page.getByText("no model was asked").waitFor();
  await page.locator(".chip", { hasText: "skills-system-validation" }).waitFor();
  await read.scrollIntoViewIfNeeded();
  await look("chat-conformance");
  await page.reload();
  await (await seen()).locator("summary").click();
  assert.match(await page.locator("#log").innerText(), MARKER);
  await page.locator(".chip", { hasText: "skills-system-validation" }).waitFor();
  await page.getByRole("button", { name: "Let go of skills-system-validation" }).click();
  await page.locator("#active").waitFor({ state: "hidden" });
  // The seed's other sentence, as it stands there.
  await page.goto(base);
  await send(page, "/skills-system-validation validate that skills.activate and skills.readResource work");
  await seen();
  await idle(page);
}

/** A script is denied, allowed once, allowed in the chat, and then runs without a question. */
export async function approvals({ page, look }, base) {
  await page.goto(base);
  const runs = page.locator("details[data-tool=skill_run]");
  const ask = async (count) => {
    await send(page, "/report-tools run scripts/report.sh");
    await runs.nth(count).waitFor();
  };
  const allow = async (name) => {
    await page.getByRole("button", { name }).click();
    await idle(page);
  };
  await ask(0);
  await page.getByText("wants to run a script").waitFor();
  await page.getByText("waits for you").waitFor();
  await look("chat-approval");
  await allow("Deny");
  await runs.nth(0).locator(".state.denied").waitFor();
  assert.doesNotMatch(await page.locator("#log").innerText(), /REPORT_MADE/);
  await look("chat-denied");
  await ask(1);
  await allow("Allow once");
  await runs.nth(1).locator(".state.ok").waitFor();
  await runs.nth(1).locator("summary").click();
  const output = await runs.nth(1).innerText();
  assert.match(output, /REPORT_MADE_IN_THE_SANDBOX/);
  assert.doesNotMatch(output, /THE_PRIVATE_KEY/, "the sandbox hides the home");
  assert.equal(await page.locator("#log img, #log script").count(), 0);
  await look("chat-allowed");
  await ask(2);
  await allow("Allow in this chat");
  await ask(3);
  await runs.nth(3).locator(".state.ok").waitFor();
  assert.equal(await page.locator(".approval").count(), 3, "nobody is asked again");
  await idle(page);
}

/** What comes from elsewhere stays text. */
export async function hostile({ page }, base) {
  await page.goto(base);
  await send(page, "/hostile <img src=x onerror=alert(5)> [x](javascript:alert(8)) **<script>alert(9)</script>**");
  await page.locator("details[data-tool=skill_load] .state.ok").waitFor();
  await idle(page);
  assert.equal(await page.locator("#log img, #log script, #log [href^=javascript]").count(), 0);
  await send(page, "/no-such-skill at all");
  await page.getByRole("alert").filter({ hasText: "there is no skill" }).waitFor();
}

/** An agent is chosen, a chat copied and deleted. */
export async function agents({ page, look }, base) {
  await page.goto(`${base}/agents`);
  await page.getByRole("link", { name: "reviewer" }).waitFor();
  await look("agents");
  await page.getByRole("link", { name: "reviewer" }).click();
  await page.getByText("same", { exact: true }).first().waitFor();
  await look("agent");
  await page.goto(base);
  await page.getByLabel("Agent").selectOption("reviewer");
  await send(page, "/skill-review");
  await page.getByText("Activated skill-review. What is to be done?").waitFor();
  await idle(page);
  await page.reload();
  await page.getByText("reviewer version 1").waitFor();
  const before = page.url();
  await page.getByText("More", { exact: true }).click();
  await look("chat-more");
  await page.getByRole("button", { name: "Go on in a copy" }).click();
  await page.waitForURL((url) => url.href !== before && url.pathname.startsWith("/chat/"));
  await page.getByText("More", { exact: true }).click();
  await page.getByRole("button", { name: "Delete this chat" }).click();
  await page.waitForURL(`${base}/`);
}

/** The library, a skill's page, its switch. */
export async function library({ page, look }, base) {
  await page.goto(`${base}/skills`);
  await look("library");
  await page.keyboard.press("/");
  await page.keyboard.type("extract a table");
  await page.waitForURL(/q=extract/);
  const first = page.locator(".card").first().getByRole("link");
  assert.equal(await first.innerText(), "pdf-tools");
  await first.click();
  await page.getByRole("heading", { name: "PDF tools" }).waitFor();
  await look("skill");
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await look("skill-disabled");
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  await page.goto(`${base}/skills/report-tools`);
  await page.getByText("Scripts run").waitFor();
  await page.getByText("installed").first().waitFor();
  await look("skill-usage");
  await page.goto(`${base}/skills/hostile`);
  await look("skill-hostile");
  await page.goto(`${base}/skills/report-tools/files/scripts/report.sh`);
  await look("file");
}

/** The log, a replay, and what was not loaded. */
export async function governing({ page, look }, base) {
  await page.goto(`${base}/audit`);
  await page.getByText("The chain is whole").waitFor();
  await page.getByText("skill.activated").first().waitFor();
  await look("audit");
  await page.goto(`${base}/audit?event=skill.script_executed`);
  await page.getByTitle("Replay this session").first().click();
  await page.getByText("The same to the byte").waitFor();
  await look("replay");
  await page.goto(`${base}/admin`);
  await page.getByText(".claude/skills/pdf-tools").waitFor();
  await page.getByText("the file does not start with frontmatter").waitFor();
  await look("admin");
  // The page is the same before and after, and the form is sent a moment after the click.
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Reload" }).click();
  await loaded;
  await page.getByRole("heading", { name: "Admin" }).waitFor();
  await page.goto(base + NOWHERE);
  await look("missing");
}

/** Every page again, as it looks on another screen. */
export async function glance({ page, look }, base) {
  await page.goto(base);
  const box = page.getByLabel("Message", { exact: true });
  await box.pressSequentially("/rep");
  await page.getByRole("option", { name: /report-tools/ }).waitFor();
  await look("chat-menu");
  await send(page, "/report-tools run scripts/report.sh");
  await page.getByText("wants to run a script").waitFor();
  await look("chat-approval");
  await page.getByRole("button", { name: "Deny" }).click();
  await idle(page);
  await look("chat-denied");
  const places = {
    agents: "/agents",
    agent: "/agents/reviewer",
    library: "/skills",
    skill: "/skills/pdf-tools",
    "skill-usage": "/skills/report-tools",
    file: "/skills/report-tools/files/scripts/report.sh",
    audit: "/audit",
    replay: new URL(page.url()).pathname.replace("/chat/", "/audit/replay/"),
    admin: "/admin",
  };
  for (const [name, place] of Object.entries(places)) {
    await page.goto(base + place);
    await look(name);
  }
}

/** The registry of this machine, where it is served, too. */
export async function registry({ page, look }, base) {
  await page.goto(base);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Registry" }).click();
  await page.waitForURL(/\/registry\//);
  const style = await page.locator("link[rel=stylesheet]").first().getAttribute("href");
  assert.equal((await page.request.get(new URL(style, page.url()).href)).status(), 200);
  await look("registry");
}
