// The pages in a real browser: what a user does, on a screen, in the dark and on a phone.
// Screenshots go to target/screenshots.
import { furnish, home, serve } from "./home.mjs";
import { launch, open } from "./look.mjs";
import * as steps from "./steps.mjs";
import { back, chips, crowd, directions, many, outage, prose, toldAnew, tooLong, twice, writing } from "./writing.mjs";

const TOUR = ["conformance", "approvals", "agents", "library", "governing", "hostile", "registry"];

const browser = await launch();
const homes = [];
const servers = [];
const run = async (place, ...flags) => {
  const server = await serve(place, ...flags);
  servers.push(server);
  return server;
};
const start = async (furnished, ...flags) => {
  const place = home();
  homes.push(place);
  if (furnished) furnish(place);
  return (await run(place, ...flags)).base;
};
/** Takes steps on one screen, one after the other. */
const tour = async (screen, base, names) => {
  const visit = await open(browser, screen);
  for (const name of names) {
    try {
      await steps[name](visit, base);
    } catch (problem) {
      await visit.page.screenshot({ path: `target/screenshots/failed-${name}-${screen}.png` }).catch(() => {});
      throw new Error(`${name} on ${screen}: ${problem.message}`, { cause: problem });
    }
  }
  await visit.done();
};

try {
  const [bare, furnished] = await Promise.all([start(false), start(true, "--registry")]);
  await tour("light", bare, ["firstVisit"]);
  await tour("light", furnished, TOUR);
  console.log(`light: ${TOUR.length + 1} tours as expected`);
  for (const step of [prose, tooLong, writing, twice, toldAnew, directions, crowd]) await step(browser, furnished);
  const place = home();
  homes.push(place);
  await outage(browser, (...flags) => run(place, ...flags));
  const crowded = home();
  homes.push(crowded);
  for (let at = 0; at < 510; at += 1) crowded.skill(`many-${at}`, "One of many. Use when many are wanted.", "# One");
  const { base: full } = await run(crowded);
  await many(browser, full);
  await chips(browser, full);
  await back(browser, crowded, full);
  console.log("writing: nothing is lost");
  await Promise.all(
    ["dark", "phone"].map(async (screen) => {
      await tour(screen, bare, ["firstVisit"]);
      await tour(screen, furnished, ["glance"]);
      console.log(`${screen}: every page as expected`);
    }),
  );
} finally {
  await browser.close();
  await Promise.all(servers.map((server) => server.stop()));
  for (const place of homes) place.remove();
}
