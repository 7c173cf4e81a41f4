import { makeDraft, send, delivered } from "../fixtures/seed.ts";
import { test } from "../fixtures/test.ts";
test("wide", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const d = await makeDraft(anna, "rapport.txt", "Le <$S>port<$E> " + "est calme. ".repeat(120));
  await delivered(anna, await send(anna, d, bruno));
  const ada = await people.admin();
  const page = await open(ada);
  await page.evaluate(() => localStorage.setItem("sieve-language", "fr"));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/timings?range=1h"); await page.waitForTimeout(3000);
  console.log(await page.evaluate(() => document.documentElement.scrollWidth), JSON.stringify(await page.evaluate(() => [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > 391).map((e) => [e.tagName, e.className?.slice?.(0, 80), e.textContent?.slice(0, 50), Math.round(e.getBoundingClientRect().right)])).then(x=>x.slice(0,25)), null, 1));
});
