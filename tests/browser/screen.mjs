// What all browser tests share: screens to look at, how to look, and a browser that forgives nothing.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

export const root = path.resolve(import.meta.dirname, "../..");
export const binary = path.resolve(root, process.env.SKILLYARD_BIN ?? "target/debug/skillyard");
const shots = path.resolve(root, "target/screenshots");
fs.mkdirSync(shots, { recursive: true });

const screens = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};

/** Takes a picture, and finds nothing serious to complain about. */
export async function look(page, screen, name) {
  await page.screenshot({ path: path.join(shots, `${name}-${screen}.png`) });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
  assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].target}`), [], `${name} ${screen}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wider, 0, `${name} ${screen} is wider than the screen`);
}

/** Walks through pages on every screen; no script of a stranger runs, and nothing goes wrong unseen. */
export async function onEveryScreen(walk, more = {}) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    for (const [screen, options] of Object.entries(screens)) {
      const context = await browser.newContext({ ...options, ...more });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const wrong = [];
      page.on("dialog", (dialog) => { wrong.push(`a script ran: ${dialog.message()}`); dialog.dismiss(); });
      page.on("console", (message) => message.type() === "error" && !message.text().includes("status of 404") && wrong.push(message.text()));
      page.on("pageerror", (error) => wrong.push(error.message));
      await walk(page, screen);
      assert.deepEqual(wrong, [], screen);
      await context.close();
    }
  } finally {
    await browser.close();
  }
}
