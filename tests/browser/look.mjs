// A browser that takes pictures and complains: about scripts that ran, errors, what is hard to
// use, and pages wider than the screen.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { root } from "./home.mjs";

const shots = path.resolve(root, "target/screenshots");
fs.mkdirSync(shots, { recursive: true });

export const screens = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};

/** Where nothing is. */
export const NOWHERE = "/nothing/here";
/** A page that is not there is looked at on purpose. */
const isNowhere = (message) => message.location().url.endsWith(NOWHERE);

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Takes a picture, and finds nothing serious to complain about. */
export async function look(page, screen, name) {
  await page.screenshot({ path: path.join(shots, `${name}-${screen}.png`) });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
  assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].target}`), [], `${name} ${screen}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wider, 0, `${name} ${screen} is wider than the screen`);
  const broken = await page.evaluate(() => {
    const words = [...document.querySelectorAll("td .pill")].filter((pill) => !/\s/.test(pill.textContent));
    return words.filter((pill) => pill.offsetHeight > 2 * parseFloat(getComputedStyle(pill).fontSize)).map((pill) => pill.textContent);
  });
  assert.deepEqual(broken, [], `${name} ${screen} breaks words`);
}

/** A page that notes what goes wrong on it; `more` is for the browser, `isExpected` for its messages. */
export async function open(browser, screen, { more = {}, isExpected = isNowhere } = {}) {
  const context = await browser.newContext({ ...screens[screen], ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const wrong = [];
  page.on("dialog", (dialog) => {
    if (dialog.type() === "confirm") return dialog.accept();
    wrong.push(`a script ran: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message)) wrong.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  const done = async () => {
    assert.deepEqual(wrong, [], screen);
    await context.close();
  };
  return { page, look: (name) => look(page, screen, name), done };
}
