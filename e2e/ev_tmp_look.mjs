import { chromium } from "@playwright/test";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const para = (i) => i % 5 === 3 ? `<$S>Secret paragraph ${i} ${"hush hush ".repeat(60)}<$E>\n` : i % 5 === 1 ? `Paragraph ${i}: ${"plain words go <$S>hidden words<$E> on and on ".repeat(12)}\n` : `Short line ${i}\n`;
const text = Array.from({ length: 1500 }, (_, i) => para(i)).join("");
const draft = { id: "d1", document_id: "doc", revision: 3, name: "report.txt", media_type: "text/plain", document_bytes: 10, classified_bytes: 3, plain_bytes: 7, plain_digest: "", created_at: "2026-11-21T10:00:00Z", changed_at: "2026-11-21T10:00:00Z", last_transfer: null };
const session = JSON.parse(process.env.EV_SESSION);
async function page(size) {
  const p = await b.newPage({ viewport: size });
  p.on("pageerror", (e) => console.log("PAGEERROR", e.message));
  await p.route("**/api/v1/**", (r) => {
    const u = new URL(r.request().url()).pathname;
    if (u === "/api/v1/session") return r.fulfill({ json: session });
    if (u === "/api/v1/drafts/d1") return r.fulfill({ json: draft });
    if (u.endsWith("/content")) return r.fulfill({ body: text, headers: { ETag: '"3"', "Content-Type": "text/plain; charset=utf-8" } });
    return r.fulfill({ status: 404, json: { type: "about:blank", title: "No", status: 404, detail: "no" } });
  });
  await p.goto("http://127.0.0.1:5199/documents/d1");
  await p.getByRole("textbox", { name: "Text of the document" }).waitFor({ timeout: 40000 });
  return p;
}
const state = (p) => p.evaluate(() => {
  const s = document.querySelector("section[aria-labelledby=eavesdropper]");
  if (!s) return { y: scrollY };
  const box = s.getBoundingClientRect(), out = s.parentElement.getBoundingClientRect();
  const at = (x, y) => { const c = document.caretPositionFromPoint(x, y); return c?.offsetNode.textContent.slice(c.offset, c.offset + 45); };
  const t = document.querySelector(".editor-text").getBoundingClientRect();
  const chunk = (x,y)=>{const e=document.elementFromPoint(x,y); return e?.closest(".line")?.textContent.slice(0,20)};
  return { y: Math.round(scrollY), st: Math.round(s.scrollTop), most: s.scrollHeight - s.clientHeight, paneTop: out.top, h2: document.querySelector("#eavesdropper").getBoundingClientRect().top, text: t.width && at(t.left + 2, out.top + 6), textLine: chunk(t.left+20,out.top+6), plain: at(box.left + 40, box.top + 6), plainEnd: at(box.left + 40, box.bottom - 60) };
});
const p = await page({ width: 1400, height: 900 });
await p.getByRole("button", { name: "What an eavesdropper sees" }).click();
await p.waitForTimeout(400);
console.log("open", await state(p));
for (const y of [30, 100, 200, 600, 615, 630, 1000, 9000, 30000, 29000, 1e7]) {
  await p.evaluate((y) => scrollTo({ top: y, behavior: "instant" }), y);
  await p.waitForTimeout(400);
  console.log(JSON.stringify(await state(p)));
  if (y === 9000) await p.screenshot({ path: "/tmp/ev_wide.png" });
}
await p.evaluate(() => scrollTo({ top: 5000, behavior: "instant" })); await p.waitForTimeout(500);
let last = await state(p), jumps = [];
for (let i = 0; i < 40; i++) { await p.mouse.move(300, 500); await p.mouse.wheel(0, 20); await p.waitForTimeout(60); const n = await state(p); jumps.push(n.st - last.st); last = n; }
console.log("steps of 20px:", jumps.join(" "));
await p.mouse.move(1000, 500); const y0 = (await state(p)).y; await p.mouse.wheel(0, 300); await p.waitForTimeout(400); const after = await state(p);
console.log("pane by hand: page moved", after.y - y0, "pane moved", after.st - last.st);
const q = await page({ width: 390, height: 800 });
for (const y of [0, 8000]) {
  await q.evaluate((y) => scrollTo({ top: y, behavior: "instant" }), y); await q.waitForTimeout(500);
  const seen = await q.evaluate(() => document.elementFromPoint(60, 62)?.closest(".line")?.textContent.slice(0, 30));
  await q.getByRole("button", { name: "What an eavesdropper sees" }).click(); await q.waitForTimeout(600);
  console.log("phone text:", seen, JSON.stringify(await state(q)));
  await q.screenshot({ path: `/tmp/ev_phone${y}.png` });
  await q.getByRole("button", { name: "What an eavesdropper sees" }).click(); await q.waitForTimeout(300);
}
await b.close();
