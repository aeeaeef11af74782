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
    ["- one\n  - two\n    - three\n- four", '<ul dir="auto"><li>one<ul dir="auto"><li>two<ul dir="auto"><li>three</li></ul></li></ul></li><li>four</li></ul>'],
    ["1. one\n   - a\n2. two\n\n3. three", '<ol dir="auto"><li>one<ul dir="auto"><li>a</li></ul></li><li>two</li><li>three</li></ol>'],
    ["1. one\n   ```sh\n   ls\n\n   pwd\n   ```\n2. two", '<ol dir="auto"><li>one<pre tabindex="0"><code>ls\n\npwd</code></pre></li><li>two</li></ol>'],
    ["7. seven\n```\nx\n```\n8. eight", '<ol dir="auto" start="7"><li>seven</li></ol><pre tabindex="0"><code>x</code></pre><ol dir="auto" start="8"><li>eight</li></ol>'],
    ["a | b\n---|---\n`x|y` | p\\|q", '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>p|q</td></tr></tbody></table></div>'],
    ["Let `x` be 1 and `y` be 2: **A** and **B**, ``a`b``", "<p>Let <code>x</code> be 1 and <code>y</code> be 2: <strong>A</strong> and <strong>B</strong>, <code>a`b</code></p>"],
    ["_a_ __b__ ***c*** ~~d~~ \\*e\\* \\_f\\_ \\$1", "<p><em>a</em> <strong>b</strong> <strong><em>c</em></strong> <del>d</del> *e* _f_ $1</p>"],
    ["snake_case_name, 2 * 3 * 4, **x \\* y**", "<p>snake_case_name, 2 * 3 * 4, <strong>x * y</strong></p>"],
    ["- [x] done\n- [ ] to do", '<ul dir="auto"><li>☑ done</li><li>☐ to do</li></ul>'],
    ["Title\n=====\nPart\n---\n1986\\. It was.", "<h3>Title</h3><h4>Part</h4><p>1986. It was.</p>"],
  ]) {
    assert.equal(await made(text), expected);
    for (const size of [1, 3]) assert.equal(await made(text, size), expected, `in pieces of ${size}`);
  }
  for (const text of ["[it](https://a.example/x_(y)) and", "(see https://a.example/x_(y))"]) assert.match(await made(text), /href="https:\/\/a.example\/x_\(y\)"/);
  for (const text of ['[it](https://a.example/ "title")', "<https://a.example/>"]) assert.match(await made(text), /^<p><a href="https:\/\/a.example\/"[^>]*>[^<"]*<\/a><\/p>$/);
  for (const text of ["See https://a.example/x.", "https://a.example/x, and", "Is it https://a.example/x?!", "在 https://a.example/x。"]) assert.match(await made(text), /href="https:\/\/a.example\/x"[^>]*>https:\/\/a.example\/x<\/a>[.,?。]/);
  assert.match(await made("a ![picture](https://a.example/x.png) b"), /^<p>a <a [^>]*>picture<\/a> b<\/p>$/);
  // What a model in a loop writes is soon looked through.
  const start = Date.now();
  for (const loop of ["**a ", "[a", "_a ", "~~a "]) await made(loop.repeat(15_000));
  assert.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`);
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

/** Who comes back to a page sees what the terminal did meanwhile. */
export async function back(browser, place, base) {
  const { page, done } = await open(browser, "light");
  const returned = (visit) => visit.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.goto(base);
  await field(page).pressSequentially("/");
  await page.locator("#menu").getByRole("option").first().waitFor();
  const library = await page.context().newPage();
  await library.goto(`${base}/skills`);
  const count = await library.locator("[data-fresh]").innerText();
  place.skill("come-lately", "Was not there before. Use when something is new.", "# New");
  const shown = library.getByRole("link", { name: "come-lately" });
  // The server hears of it within a moment.
  for (let tries = 0; tries < 50 && !(await shown.count()); tries += 1) {
    await returned(library);
    await library.waitForTimeout(200);
  }
  await shown.waitFor();
  assert.notEqual(await library.locator("[data-fresh]").innerText(), count);
  assert.equal(library.url(), `${base}/skills`);
  await page.waitForTimeout(1100);
  await returned(page);
  await field(page).fill("");
  await field(page).pressSequentially("/come");
  await page.locator("#menu").getByRole("option", { name: "/come-lately" }).waitFor();
  // What the terminal says in a chat.
  await field(page).fill("");
  await send(page, "/come-lately");
  await page.getByText("Activated come-lately").waitFor();
  await idle(page);
  place.skillyard("chat", "--resume", page.url().split("/").pop(), "-p", "said in the terminal");
  await returned(page);
  await page.locator(".said.user", { hasText: "said in the terminal" }).waitFor();
  await idle(page);
  await done();
}

/** What a chat cost is not told of one that is told anew. */
export async function toldAnew(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  await send(page, "/pdf-tools");
  await page.getByText("Activated pdf-tools").waitFor();
  await idle(page);
  const tokens = { input: 30, cached: 0, output: 2 };
  const usage = { type: "usage", ...tokens, session: { ...tokens, estimated: false } };
  const told = [JSON.stringify(usage), '{"type":"reset"}'];
  let asked = 0;
  await page.route(/\/events/, (route) => {
    const data = told[asked] ? `data: ${told[asked]}\n\n` : ": nothing\n\n";
    asked += 1;
    return route.fulfill({ contentType: "text/event-stream", body: `retry: 100\n${data}` });
  });
  await page.reload();
  const texts = await page.evaluate(async () => {
    const [status, seen] = [document.getElementById("status"), []];
    new MutationObserver(() => seen.push(status.textContent)).observe(status, { childList: true });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    return seen.filter((text) => !text.includes("lost"));
  });
  assert.ok(asked > 3, `${asked} requests`);
  assert.equal(texts.at(-1), "", texts.join());
  await done();
}

const ARABIC = "مرحبا، هذا نص عربي.";

/** Words go in the direction of their first letter, and code from the left. */
export async function directions(browser, base) {
  const { page, look, done } = await open(browser, "phone");
  await page.goto(base);
  await send(page, ARABIC);
  await page.locator(".said.user").waitFor();
  await idle(page);
  const direction = (selector) => page.locator(selector).first().evaluate((each) => getComputedStyle(each).direction);
  assert.equal(await direction(".said.user"), "rtl");
  assert.equal(await direction("#title"), "rtl");
  await field(page).fill(ARABIC);
  assert.equal(await direction("#message"), "rtl");
  const sides = await page.evaluate(async (text) => {
    const { render } = await import("/assets/markdown.js");
    const place = document.createElement("div");
    place.className = "prose";
    document.querySelector("#log").append(place);
    place.append(...render(`${text}\n\n- ${text}\n\nEnglish.\n\n    x\n\n\`code\``));
    const left = (element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const [text, box] = [range.getBoundingClientRect(), place.getBoundingClientRect()];
      return text.left - box.left < box.right - text.right;
    };
    return [...place.querySelectorAll("p, li")].map(left);
  }, ARABIC);
  assert.deepEqual(sides.slice(0, 3), [false, false, true], "from the right, from the right, from the left");
  await look("chat-directions");
  await done();
}

/** Many active skills leave the messages and the box their place. */
export async function chips(browser, base) {
  const { page, look, done } = await open(browser, "phone");
  await page.goto(base);
  for (let at = 0; at < 45; at += 1) {
    await send(page, `/many-${at}`);
    await page.getByText(`Activated many-${at}.`).waitFor();
    await idle(page);
  }
  const log = await page.locator("#log").evaluate((each) => each.clientHeight);
  assert.ok(log > 250, `the messages have ${log} pixels`);
  assert.ok(await page.locator("#send").evaluate((each) => each.getBoundingClientRect().bottom <= innerHeight));
  await look("chat-chips");
  await done();
}

/** Who clicks twice has answered once. */
export async function twice(browser, base) {
  const { page, done } = await open(browser, "light");
  await page.goto(base);
  await send(page, "/report-tools run scripts/report.sh");
  await page.getByRole("button", { name: "Deny" }).dblclick();
  await page.locator(".approval.decided").waitFor();
  await idle(page);
  assert.equal(await page.getByRole("alert").count(), 0);
  await done();
}

/** A server that goes and comes back costs nobody what they wrote. */
export async function outage(browser, run) {
  const first = await run();
  const { page, done } = await open(browser, "light", { isExpected: () => true });
  await page.goto(first.base);
  await send(page, "hello there");
  await idle(page);
  await page.locator(".said.partner").first().waitFor();
  const form = await page.context().newPage();
  await form.goto(`${first.base}/agents`);
  await form.getByLabel("Name").fill("late");
  await form.getByLabel("Instructions").fill("Written before.");
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
  await form.getByRole("button", { name: "Make it" }).click();
  await form.waitForURL(/\/agents\/late$/);
  await form.getByText("Written before.").waitFor();
  await done();
}
