// The pages in a real browser: what a user does, on a screen, in the dark and on a phone.
// Starts the binary over a home of its own; screenshots go to target/screenshots.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const root = path.resolve(import.meta.dirname, "../..");
const binary = path.resolve(root, process.env.SKILLYARD_BIN ?? "target/debug/skillyard");
const shots = path.resolve(root, "target/screenshots");
fs.mkdirSync(shots, { recursive: true });

const home = fs.mkdtempSync(path.join(os.tmpdir(), "skillyard-browser-"));
const write = (file, text) => {
  const place = path.join(home, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, text);
};
const skill = (name, description, body, folder = ".agents/skills") =>
  write(`${folder}/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`);

skill("skills-system-validation", "Exercises activation and resource reads.", "# Validation\n\nRead [the reference](references/REFERENCE.md).\n\nTask: $ARGUMENTS");
write(".agents/skills/skills-system-validation/references/REFERENCE.md", "REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1\n");
skill("pdf-tools", "Fills PDF forms and extracts tables. Use for PDF files.", "# PDF tools\n\n| field | kind |\n|---|---|\n| name | text |\n\n```sh\npdftotext in.pdf -\n```");
skill("pdf-tools", "Another one of the same name.", "x", ".claude/skills");
skill("hostile", "'<img src=x onerror=alert(1)> <script>alert(2)</script>'", "<script>alert(3)</script>\n\n[x](javascript:alert(4))");
write(".agents/skills/broken/SKILL.md", "no frontmatter\n");
fs.mkdirSync(path.join(home, "project"));

const server = spawn(binary, ["serve", "--port", "0", "--json"], {
  cwd: path.join(home, "project"),
  env: { HOME: home, PATH: process.env.PATH },
  stdio: ["ignore", "pipe", "inherit"],
});
const base = await new Promise((resolve, reject) => {
  server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  server.stdout.once("data", (data) => resolve(JSON.parse(data).url));
});

const screens = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};

/** Takes a picture, and finds nothing serious to complain about. */
async function look(page, screen, name) {
  await page.screenshot({ path: path.join(shots, `${name}-${screen}.png`) });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
  assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].target}`), [], `${name} ${screen}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wider, 0, `${name} ${screen} is wider than the screen`);
}

async function talk(page, screen) {
  await page.goto(base);
  await look(page, screen, "chat-first-visit");
  const box = page.getByLabel("Message", { exact: true });
  await box.pressSequentially("/pdf");
  await page.getByRole("option", { name: /pdf-tools/ }).waitFor();
  await look(page, screen, "chat-menu");
  await page.keyboard.press("Enter");
  assert.equal(await box.inputValue(), "/pdf-tools ");
  await box.fill("/skills-system-validation validate that activation and resources work");
  await page.keyboard.press("Enter");
  await page.locator("details[data-tool=skill_load] .state.ok").waitFor();
  const read = page.locator("details[data-tool=skill_read]");
  await read.locator(".state.ok").waitFor();
  await read.locator("summary").click();
  assert.match(await read.innerText(), /REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1/);
  await page.getByText("There is no model here").waitFor();
  await look(page, screen, "chat");
  await page.reload();
  await page.locator("details[data-tool=skill_read] .state.ok").waitFor();
  await box.fill("/hostile <img src=x onerror=alert(5)>");
  await page.keyboard.press("Enter");
  await page.locator("details[data-tool=skill_load] .state.ok").nth(1).waitFor();
  assert.equal(await page.locator("#log img, #log script").count(), 0);
}

async function browse(page, screen) {
  await page.goto(`${base}/skills`);
  await look(page, screen, "library");
  await page.keyboard.press("/");
  await page.keyboard.type("extract a table");
  await page.waitForURL(/q=extract/);
  const first = page.locator(".card").first().getByRole("link");
  assert.equal(await first.innerText(), "pdf-tools");
  await first.click();
  await page.getByRole("heading", { name: "PDF tools" }).waitFor();
  await look(page, screen, "skill");
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await look(page, screen, "skill-disabled");
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  await page.goto(`${base}/skills/hostile`);
  await look(page, screen, "hostile");
}

async function govern(page, screen) {
  await page.goto(`${base}/audit`);
  await page.getByText("The chain is whole").waitFor();
  await page.getByText("skill.activated").first().waitFor();
  await look(page, screen, "audit");
  await page.goto(`${base}/admin`);
  await page.getByText(".claude/skills/pdf-tools").waitFor();
  await page.getByText("the file does not start with frontmatter").waitFor();
  await look(page, screen, "admin");
  await page.getByRole("button", { name: "Look for skills again" }).click();
  await page.getByRole("heading", { name: "Admin" }).waitFor();
}

let browser;
try {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  for (const [screen, options] of Object.entries(screens)) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const wrong = [];
    page.on("dialog", (dialog) => { wrong.push(`a script ran: ${dialog.message()}`); dialog.dismiss(); });
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(error.message));
    await talk(page, screen);
    await browse(page, screen);
    await govern(page, screen);
    assert.deepEqual(wrong, [], screen);
    await context.close();
    console.log(`${screen}: chat, library, audit and admin as expected`);
  }
} finally {
  await browser?.close();
  server.removeAllListeners("exit");
  server.kill();
  fs.rmSync(home, { recursive: true, force: true });
}
