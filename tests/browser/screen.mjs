// A walk through pages that is taken on every screen.
import { launch, open, screens } from "./look.mjs";

export { binary, root } from "./home.mjs";
export { look } from "./look.mjs";

/** Walks through pages on every screen; no script of a stranger runs, and nothing goes wrong unseen. */
export async function onEveryScreen(walk, more = {}) {
  const isExpected = (message) => /status of (401|404|503)/.test(message.text());
  const browser = await launch();
  try {
    for (const screen of Object.keys(screens)) {
      const { page, done } = await open(browser, screen, { more, isExpected });
      await walk(page, screen);
      await done();
    }
  } finally {
    await browser.close();
  }
}
