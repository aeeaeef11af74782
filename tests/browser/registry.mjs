// The registry's pages in a real browser: search, narrow down, read, compare, copy; on a screen, in the dark and on a phone.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { binary, look, onEveryScreen } from "./screen.mjs";

const home = fs.mkdtempSync(path.join(os.tmpdir(), "skillyard-registry-"));
const env = { HOME: home, PATH: process.env.PATH };
const servers = [];
const serve = (...flags) => {
  const server = spawn(binary, ["registry", "serve", "--port", "0", ...flags], { cwd: home, env, stdio: ["ignore", "pipe", "ignore"] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    server.stdout.once("data", (data) => resolve(data.toString().split("\n")[0]));
  });
};
const base = await serve();
const ours = (...command) => execFileSync(binary, command, { cwd: home, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const login = (user) => {
  const made = JSON.parse(ours("registry", "token", "create", "--user", user, "--scope", "publish", "--scope", "yank", "--scope", "owners", "--json"));
  ours("login", "--token", made.token);
};
const publish = (name, version, { description, body, license = "MIT", tags = "", requires = "", files = {} }) => {
  const folder = path.join(home, "skills", name);
  fs.rmSync(folder, { recursive: true, force: true });
  const needs = requires ? `\n  skillyard.requires-skills: "${requires}"` : "";
  const text = `---\nname: ${name}\ndescription: ${description}\nlicense: ${license}\nmetadata:\n  version: "${version}"\n  tags: "${tags}"${needs}\n---\n\n${body}\n`;
  for (const [file, content] of Object.entries({ "SKILL.md": text, ...files })) {
    const place = path.join(folder, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
  }
  ours("publish", folder, "--yes");
};

const long = "long" + "g".repeat(56);
const evil = "<img src=x onerror=alert(1)>";
try {
  ours("config", "set", "registry.url", base);
  login("ada");
  const script = (word) => `#!/bin/sh\n# Fills a form.\nset -eu\nprintf '%s\\n' "${word}"\n`;
  const pdf = (version, steps, word) => publish("pdf-tools", version, {
    description: "Fills PDF forms and extracts tables. Use when a task involves PDF files, forms or scanned tables.",
    tags: "pdf forms office",
    body: `# PDF tools\n\nRead [the field guide](references/fields.md) first.\n\n| field | kind |\n|---|---|\n| name | text |\n| signed | checkbox |\n\n${steps}\n\n\`\`\`sh\nscripts/fill.sh form.pdf\n\`\`\``,
    files: { "scripts/fill.sh": script(word), "references/fields.md": "# Fields\n\nEvery field has a name and a kind.\n" },
  });
  pdf("1.0.0", "1. Open the form.\n2. Fill it.", "filled");
  pdf("1.1.0", "1. Open the form.\n2. List its fields.\n3. Fill it.", "filled twice");
  pdf("2.0.0", "1. Open the form.\n2. List its fields.\n3. Fill it and sign.", "filled and signed");
  ours("yank", "pdf-tools@1.0.0", "--reason", "deletes the wrong file");
  publish("report-writer", "0.3.0", { description: "Writes monthly reports from tables. Use when somebody asks for a report.", tags: "office text", requires: "pdf-tools@^2", body: "# Reports\n\nCollect, order, write." });
  publish("table-maker", "1.4.2", { description: "Turns lists into tables. Use when data has rows.", license: "Apache-2.0", tags: "text data", body: "# Tables\n\nAlign the columns." });
  login("grace");
  publish("commit-notes", "3.1.0", { description: "Writes commit messages that say why. Use before every commit.", license: "Apache-2.0", tags: "git", body: "# Commit notes\n\nSay why." });
  publish("old-notes", "0.9.0", { description: "Writes notes the old way. Use never.", tags: "text", body: "# Old" });
  ours("deprecate", "old-notes", "use commit-notes");
  publish(long, "1.0.0", { description: "D".repeat(900), license: "L".repeat(400), tags: "t".repeat(60), body: "# " + "W".repeat(300) });
  publish(long, "1.1.0", { description: "D".repeat(900), license: "L".repeat(400), tags: "t".repeat(60), body: "# " + "W".repeat(301) });
  publish("hostile", "1.0.0", { description: `'${evil} <script>alert(2)</script>'`, license: `'"><script>alert(3)</script>'`, tags: "<script>alert(4)</script>", body: `${evil}\n\n<script>alert(5)</script>\n\n[x](javascript:alert(6))`, files: { "references/evil.md": `${evil}\n<script>alert(7)</script>\n`, "references/' onerror=alert(8) x='.md": "# x\n" } });

  // The same skills, for those alone who have a token.
  const closed = await serve("--private");
  const reader = JSON.parse(ours("registry", "token", "create", "--user", "bob", "--scope", "read", "--json")).token;
  await onEveryScreen(async (page, screen) => {
    await page.goto(`${closed}/view/pdf-tools?version=2.0.0`);
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await look(page, screen, "registry-login");
    await page.keyboard.type("sky_wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("not known here").waitFor();
    await look(page, screen, "registry-login-wrong");
    await page.getByLabel("Token").fill(reader);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "PDF tools" }).waitFor();
    assert.equal(page.url(), `${closed}/view/pdf-tools?version=2.0.0`);
    await look(page, screen, "registry-logged-in");
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Lax", "/"]);
    await page.goto(closed);
    await look(page, screen, "registry-logged-in-home");
    await page.keyboard.press("/");
    await page.keyboard.type("extract tables");
    await page.waitForURL(/q=extract/);
    // A login that ended elsewhere leads to the login, also from a search.
    const other = await page.context().newPage();
    await other.goto(closed);
    await other.getByRole("button", { name: "Log out" }).click();
    await other.getByRole("heading", { name: "Log in" }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    await page.keyboard.type(" x");
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    console.log(`${screen}: in and out of a private registry`);
  });

  await onEveryScreen(async (page, screen) => {
    await page.goto(base);
    await page.getByText("7 skills for agents").waitFor();
    await look(page, screen, "registry-home");
    await page.keyboard.press("/");
    await page.keyboard.type("extract tables");
    await page.waitForURL(/q=extract/);
    assert.equal(await page.locator(".card h2 a").first().innerText(), "pdf-tools");
    await look(page, screen, "registry-search");

    await page.goto(base);
    await page.getByRole("navigation", { name: "Narrow down" }).getByRole("link", { name: /Apache-2\.0/ }).click();
    await page.getByText("2 skills", { exact: true }).waitFor();
    await look(page, screen, "registry-narrowed");
    await page.getByRole("link", { name: "commit-notes" }).click();
    await page.getByRole("heading", { name: "Commit notes" }).waitFor();

    await page.goto(`${base}/view/pdf-tools`);
    await page.getByRole("heading", { name: "PDF tools" }).waitFor();
    await look(page, screen, "registry-skill");
    await page.getByRole("button", { name: "Copy this command" }).first().click();
    await page.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "skillyard install pdf-tools");
    await page.getByRole("link", { name: "report-writer" }).waitFor();
    await page.getByText("With other clients").click();
    await page.getByText("npx skills add").waitFor();
    await page.getByLabel("From").scrollIntoViewIfNeeded();
    await look(page, screen, "registry-versions");
    await page.getByLabel("From").selectOption("1.1.0");
    await page.getByLabel("To").selectOption("2.0.0");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { name: "What changed in pdf-tools" }).waitFor();
    await page.getByText("+ 3. Fill it and sign.").waitFor();
    await look(page, screen, "registry-compare");

    await page.goto(`${base}/view/pdf-tools?version=1.0.0`);
    await page.getByText("Withdrawn:").waitFor();
    await look(page, screen, "registry-withdrawn");
    await page.goto(`${base}/view/pdf-tools`);
    await page.getByRole("link", { name: "scripts/fill.sh" }).click();
    await page.getByText("set -eu").waitFor();
    await look(page, screen, "registry-file");
    await page.goto(`${base}/view/old-notes`);
    await page.getByText("Deprecated:").waitFor();
    await look(page, screen, "registry-deprecated");
    await page.goto(`${base}/owners/ada`);
    await page.getByText("3 skills").waitFor();
    await look(page, screen, "registry-owner");
    await page.goto(`${base}/view/pdf-tool`);
    await page.getByText("Did you mean").waitFor();
    await look(page, screen, "registry-missing");
    for (const address of ["/view/hostile", "/view/hostile/files/references/evil.md", "/?q=%3Cscript%3Ealert(9)%3C/script%3E", "/view/%3Cimg%20src=x%20onerror=alert(10)%3E"]) {
      await page.goto(base + address);
      assert.equal(await page.locator("main img, main script, main svg").count(), 0, address);
    }
    await look(page, screen, "registry-hostile");
    // Words that are wider than the screen.
    for (const [name, address] of Object.entries({ skill: `/view/${long}`, compare: `/view/${long}/compare`, owner: "/owners/grace", license: `/?license=${"L".repeat(400)}` })) {
      await page.goto(base + address);
      await look(page, screen, `registry-long-${name}`);
    }

    // A search that the server does not answer is shown as that, while typing and with the button.
    for (const key of ["", "Enter"]) {
      await page.goto(base);
      await page.route(/q=broken/, (route) => route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Not now</h1>" }));
      await page.keyboard.press("/");
      await page.keyboard.type("broken");
      if (key) await page.keyboard.press(key);
      await page.getByRole("heading", { name: "Not now" }).waitFor();
      await page.unroute(/q=broken/);
    }

    // With the keyboard alone: skip to the content, then to the first skill.
    await page.goto(base);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    console.log(`${screen}: search, skill, versions, comparison, file, owner and problems as expected`);
  }, { permissions: ["clipboard-read", "clipboard-write"] });
} finally {
  for (const server of servers) {
    server.removeAllListeners("exit");
    server.kill();
  }
  fs.rmSync(home, { recursive: true, force: true });
}
