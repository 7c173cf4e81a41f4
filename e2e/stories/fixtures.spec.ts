/** The fixtures do what the stories rely on: gateways that come and go, a guard that notices, a wire that is heard. */
import { createHash } from "node:crypto";
import { contains } from "../fixtures/encodings.ts";
import { KeptPages } from "../fixtures/kept-pages.ts";
import { expectAccessible, expectNoSidewaysScroll, narrow, phone } from "../fixtures/page-checks.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";
import { expectOnlyPlain } from "../fixtures/wire.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

/** A page of ours with `body`, at the gateway's address, under no policy. */
const pageOf = (body: string) => ({
  contentType: "text/html",
  body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Test</title>${body}`,
});

test("a sent document arrives, and nothing classified is on the wire", async ({ people, wire }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const draft = await makeDraft(anna, "berths.txt", "Berth 3 opens on <$S>the sixth of October<$E>, as every year.");
  const transfer = await send(anna, draft, bruno, rosa);
  await delivered(anna, transfer);
  expectOnlyPlain(wire, { plain: "Berth 3 opens on ", classified: ["the sixth of October"] });
  const inbox = await bruno.api<{ items: { name: string }[] }>("GET", "/inbox");
  expect(inbox.items.map(({ name }) => name)).toEqual(["berths.txt"]);
});

test("a gateway that was down keeps its data and receives what was sent meanwhile", async ({ pair, people }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  await pair.bravo.kill();
  const transfer = await send(anna, await makeDraft(anna, "later.txt", "Later."), bruno);
  await pair.bravo.startAgain();
  await delivered(anna, transfer);
});

test("the guard notices what pages must not do", async ({ guard, page, baseURL }) => {
  const script = `
    console.error("said");
    setTimeout(() => { throw new Error("thrown") });
    Promise.reject(new Error("rejected"));
    fetch("/api/v1/me");
    fetch("http://192.0.2.1/", { signal: AbortSignal.timeout(1) }).catch(() => {});
    fetch("http://127.0.0.1:1/").catch(() => {});`;
  await page.route("/guarded", (route) =>
    route.fulfill({
      ...pageOf(`<script>${script}</script><script>blocked</script>`),
      headers: { "content-security-policy": `script-src 'sha256-${sha256(script)}'` },
    }),
  );
  await page.goto("/guarded");
  const found: string[] = [];
  const wanted = [
    /^console\.error: said /,
    /^uncaught: Error: thrown/,
    /^uncaught: Error: rejected/,
    new RegExp(`^GET ${baseURL}/api/v1/me: 401$`),
    /^request to http:\/\/192\.0\.2\.1\/$/,
    /^GET http:\/\/127\.0\.0\.1:1\/: net::ERR_/,
    /^console\.error: policy: script-src-elem forbids inline/,
  ];
  await expect(() => {
    found.push(...guard.take());
    expect(wanted.filter((one) => !found.some((line) => one.test(line)))).toEqual([]);
  }).toPass();
});

test("the guard allows what a story expects", async ({ guard, page }) => {
  guard.allowStatus(401);
  await page.route("/expecting", (route) => route.fulfill(pageOf("<script>fetch('/api/v1/me')</script>")));
  const answered = page.waitForResponse("**/api/v1/me");
  await page.goto("/expecting");
  await answered;
  expect(guard.take()).toEqual([]);
});

test("a page that another story used has nothing of it", async ({ browser, pair }) => {
  const kept = new KeptPages(browser, [pair.alpha.url]);
  const viewport = { width: 700, height: 500 };
  const kind = { url: pair.alpha.url, viewport, hasTouch: false, isMobile: false, locale: undefined };
  const page = await kept.take(kind);
  await page.goto("/sign-in");
  const tab = await page.context().newPage();
  await page.evaluate(() => {
    localStorage.setItem("a", "1");
    sessionStorage.setItem("a", "1");
  });
  await page.context().addCookies([{ name: "a", value: "1", url: kind.url }]);
  // Only what the end of this story asks for: the app may still ask for other things.
  await page.route("**/sign-in", (route) => route.abort());
  await page.setViewportSize(phone.viewport);
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await kept.giveBack(page);

  expect(await kept.take(kind)).toBe(page);
  expect(tab.isClosed()).toBe(true);
  expect(await page.context().cookies()).toEqual([]);
  await page.goto("/sign-in");
  const left = await page.evaluate(() => ({
    stored: localStorage.length + sessionStorage.length,
    dark: matchMedia("(prefers-color-scheme: dark), print").matches,
    size: { width: innerWidth, height: innerHeight },
  }));
  expect(left).toEqual({ stored: 0, dark: false, size: viewport });

  await page.context().newCDPSession(page);
  await kept.giveBack(page);
  expect(page.isClosed()).toBe(true);
  const another = await kept.take(kind);
  expect(another).not.toBe(page);
  await kept.giveBack(another);
  await kept.close();
  expect(another.isClosed()).toBe(true);
});

test("the checks find text that is hard to read and controls that are hard to hit, in either theme", async ({
  page,
}) => {
  const style = `
    body { color: #111; background: #fff }
    @media (prefers-color-scheme: dark) { body { color: #333; background: #222 } }`;
  await page.route("/dim", (route) => route.fulfill(pageOf(`<style>${style}</style><main><h1>Dim</h1></main>`)));
  await page.goto("/dim");
  await expectAccessible(page);
  await expect(expectAccessible(page, ["light", "dark"])).rejects.toThrow(/in the dark theme[\s\S]*color-contrast/);
  const small = `<style>button { width: 9px; height: 9px; padding: 0; border: 0; margin: 0 }</style>
    <main><h1>Small</h1><button aria-label="one"></button><button aria-label="two"></button></main>`;
  await page.route("/small", (route) => route.fulfill(pageOf(small)));
  await page.goto("/small");
  await expect(expectAccessible(page)).rejects.toThrow(/target-size/);
});

test.describe("on a narrow screen", () => {
  test.use(narrow);

  test("the checks find content that is too wide", async ({ page }) => {
    await page.route("/wide", (route) => route.fulfill(pageOf('<div class="slab" style="width: 361px">x</div>')));
    await page.route("/fits", (route) => route.fulfill(pageOf('<div style="width: 340px">x</div>')));
    await page.goto("/fits");
    await expectNoSidewaysScroll(page);
    await page.goto("/wide");
    await expect(expectNoSidewaysScroll(page, 500)).rejects.toThrow(/slab/);
  });
});

test("secrets are recognised in every encoding", () => {
  const secret = "the sixth of October";
  for (const offset of ["", "x", "xy"]) {
    expect(contains(Buffer.from(Buffer.from(`${offset}${secret} tail`).toString("base64")), secret)).toBe(true);
  }
  expect(contains(Buffer.from(`before ${Buffer.from(secret).toString("hex")} after`), secret)).toBe(true);
  expect(contains(Buffer.from("the seventh of October, thereafter"), secret)).toBe(false);
});
