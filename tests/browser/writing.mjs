// What is written, and what comes back: odd lines, long messages, many pages, a server that goes.
import assert from "node:assert/strict";
import { open } from "./look.mjs";

const field = (page) => page.getByLabel("Message", { exact: true });
const refusal = (page, text) => page.getByRole("alert").filter({ hasText: text }).last();
const idle = (page) => page.locator(".chat:not([aria-busy=true])").waitFor();
const send = async (page, text) => {
  await field(page).fill(text);
  await page.keyboard.press("Enter");
};

/** The words of a model become elements, whatever stands in a line. */
export async function prose(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  const made = (text, size) => {
    const rendered = page.evaluate(async ([given, pieces]) => {
      const { growing, render } = await import("/assets/markdown.js");
      const place = document.createElement("div");
      if (pieces) given.match(new RegExp(`[^]{1,${pieces}}`, "g")).forEach(growing(place));
      else place.append(...render(given));
      return place.innerHTML;
    }, [text, size]);
    const late = new Promise((_, reject) => setTimeout(reject, 10_000, new Error(`endless: ${JSON.stringify(text)}`)).unref());
    return Promise.race([rendered, late]);
  };
  for (const [text, expected] of [
    ["# Steps\u2028First.", "<h3>Steps\u2028First.</h3>"],
    ["# Steps\u2029First. #", "<h3>Steps\u2029First.</h3>"],
    ["# Steps\rFirst.\r\nSecond.", "<h3>Steps</h3><p>First.\nSecond.</p>"],
    ["- one\n  - two\n    - three\n- four", "<ul><li>one<ul><li>two<ul><li>three</li></ul></li></ul></li><li>four</li></ul>"],
    ["1. one\n   - a\n2. two\n\n3. three", "<ol><li>one<ul><li>a</li></ul></li><li>two</li><li>three</li></ol>"],
    ["1. one\n   ```sh\n   ls\n\n   pwd\n   ```\n2. two", '<ol><li>one<pre tabindex="0"><code>ls\n\npwd</code></pre></li><li>two</li></ol>'],
    ["7. seven\n```\nx\n```\n8. eight", '<ol start="7"><li>seven</li></ol><pre tabindex="0"><code>x</code></pre><ol start="8"><li>eight</li></ol>'],
    ["a | b\n---|---\n`x|y` | p\\|q", '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>p|q</td></tr></tbody></table></div>'],
    ["Let `x` be 1 and `y` be 2: **A** and **B**, ``a`b``", "<p>Let <code>x</code> be 1 and <code>y</code> be 2: <strong>A</strong> and <strong>B</strong>, <code>a`b</code></p>"],
  ]) {
    assert.equal(await made(text), expected);
    for (const size of [1, 3]) assert.equal(await made(text, size), expected, `in pieces of ${size}`);
  }
  for (const text of ["[it](https://a.example/x_(y)) and", "(see https://a.example/x_(y))"]) assert.match(await made(text), /href="https:\/\/a.example\/x_\(y\)"/);
  // Deeper than a browser can go.
  for (const deep of ["- ", ">", "1. "]) assert.match(await made(deep.repeat(20_000) + "end"), /end/);
  await done();
}

/** A skill can be named, however many there are. */
export async function many(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  await field(page).pressSequentially("/many-50");
  const options = page.locator("#menu").getByRole("option");
  await options.filter({ hasText: "/many-509" }).waitFor();
  assert.equal(await options.count(), 11, "many-50 and many-500 to many-509");
  await done();
}

/** What is too long is not cut: it stays, and the page says why. */
export async function tooLong(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  await field(page).focus();
  await page.keyboard.insertText("long ".repeat(8_000));
  assert.equal((await field(page).inputValue()).length, 40_000);
  await page.keyboard.press("Enter");
  await refusal(page, "25000 are the most").waitFor();
  assert.equal((await field(page).inputValue()).length, 40_000);
  assert.equal(new URL(page.url()).pathname, "/", "no chat was begun");
  await done();
}

/** Who is writing when a question comes goes on writing. */
export async function writing(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  await send(page, "/report-tools run scripts/report.sh");
  await page.getByText("wants to run a script").waitFor();
  await page.keyboard.type("meanwhile");
  assert.equal(await field(page).inputValue(), "meanwhile");
  await page.getByRole("button", { name: "Deny" }).click();
  await idle(page);
  assert.equal(await field(page).inputValue(), "meanwhile");
  await page.reload();
  assert.equal(await field(page).inputValue(), "meanwhile", "also when the page is loaded again");
  await done();
}

/** Pages that nobody looks at take no connection: more than six chats can be open. */
export async function crowd(browser, base) {
  const visit = await open(browser, "light");
  const context = visit.page.context();
  await visit.page.goto(base);
  await send(visit.page, "/pdf-tools");
  await visit.page.getByText("Activated pdf-tools").waitFor();
  await idle(visit.page);
  const chat = visit.page.url();
  // What a browser does to a page behind others.
  const turned = (page, hidden) =>
    page.evaluate((is) => {
      Object.defineProperty(document, "hidden", { value: is, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const pages = [visit.page];
  await turned(visit.page, true);
  for (let count = 0; count < 8; count += 1) {
    const page = await context.newPage();
    await page.goto(chat, { timeout: 20_000 });
    await page.getByText("Activated pdf-tools").waitFor();
    await turned(page, true);
    pages.push(page);
  }
  // What was said meanwhile is there, once, when a page is seen again.
  const last = pages.at(-1);
  await turned(last, false);
  await send(last, "/report-tools");
  await last.getByText("Activated report-tools").waitFor();
  await turned(visit.page, false);
  await visit.page.getByText("Activated report-tools").waitFor();
  assert.equal(await visit.page.locator(".said.user").count(), 2);
  await visit.done();
}

/** A server that goes and comes back costs nobody what they wrote. */
export async function outage(browser, run) {
  const first = await run();
  const { page, done } = await open(browser, "light", { isExpected: () => true });
  await page.goto(first.base);
  await send(page, "hello there");
  await idle(page);
  await page.locator(".said.partner").first().waitFor();
  await first.stop();
  await page.getByText("reconnecting").waitFor();
  await send(page, "are you there");
  await refusal(page, "the server did not answer").waitFor();
  assert.equal(await field(page).inputValue(), "are you there");
  await run("--port", new URL(first.base).port);
  // The page is older than the server, and is used as it is.
  await page.locator(".chat[data-server=there]").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".said.user", { hasText: "are you there" }).waitFor();
  await idle(page);
  assert.equal(await field(page).inputValue(), "");
  await done();
}
