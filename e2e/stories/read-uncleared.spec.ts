/** A reader without clearance reads what is plain, sees that something is withheld, and learns nothing else from any byte. */
import { readFile } from "node:fs/promises";
import { sample } from "../fixtures/files.ts";
import { expectAccessible } from "../fixtures/page-checks.ts";
import { PageRecorder } from "../fixtures/page-recorder.ts";
import type { Person } from "../fixtures/people.ts";
import { type Draft, delivered, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";
import { expectNothingClassified, GAPS, REDACTED, sendBerths } from "../fixtures/unique-document.ts";

const BOTH = ["light", "dark"] as const;
/** The text of a PDF on page 1, and on page 2, which is marked. */
const PAGE_1 = "The green hills lie open.";
const PAGE_2 = "The harbour code is ORION.";

/** As it lies over the picture of a page: each word by itself. */
const unspaced = (text: string) => text.replaceAll(" ", "");

test("no page or response shows classified text to a recipient without clearance", async ({ people, visit, pair }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await visit(pair.bravo, "/sign-in");
  const recorder = await PageRecorder.of(page);
  await page.getByLabel("Login").fill(rosa.name);
  await page.getByLabel("Password", { exact: true }).fill(rosa.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
  const receipt = await sendBerths(anna, bruno, rosa);

  const link = page.getByRole("link", { name: "Unread: berths.txt" });
  await expect(link).toBeVisible();
  await expect(page.getByRole("listitem").filter({ has: link })).toContainText("Redacted for you");
  await expectAccessible(page, BOTH);
  await link.click();

  await test.step("bars of one width replace withheld text", async () => {
    const places = page.getByRole("group", { name: "Withheld places" });
    await expect(places).toContainText(`${GAPS} withheld`);
    await places.getByRole("button", { name: "Next withheld place" }).click();
    const bars = page.getByRole("article", { name: "berths.txt" }).getByRole("img", { name: "withheld" });
    await expect(bars).toHaveCount(GAPS);
    await expect(bars.first()).toBeInViewport();
    const boxes = await Promise.all((await bars.all()).map((bar) => bar.boundingBox()));
    expect(new Set(boxes.map((box) => box?.width)).size, "widths of the bars").toBe(1);
    expect(new Set(boxes.map((box) => box?.height)).size, "heights of the bars").toBe(1);
    await expectAccessible(page, BOTH);
  });

  await test.step("what is withheld is not found", async () => {
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.keyboard.type("october");
    await expect(page.getByText("No matches", { exact: true })).toBeVisible();
  });

  await test.step("the only download is redacted", async () => {
    const about = page.getByRole("complementary", { name: "About this document" });
    await expect(about.getByRole("link", { name: "Whole document" })).toHaveCount(0);
    await expect(about.getByRole("link", { name: "Marked text" })).toHaveCount(0);
    const [downloaded] = await Promise.all([
      page.waitForEvent("download"),
      about.getByRole("link", { name: "Redacted" }).click(),
    ]);
    expect(await readFile(await downloaded.path(), "utf8")).toBe(REDACTED);
  });

  await test.step("what they may read can be verified", async () => {
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page.getByText("All checks passed for the part that you can read.")).toBeVisible();
    await expect(page.getByRole("list", { name: "Checks" }).getByRole("listitem")).toHaveCount(2);
    await page.getByText("Show receipt").click();
    await expect(page.getByText("Stored", { exact: true })).toBeVisible();
    await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download excerpt" }).click()]);
    await expectAccessible(page, BOTH);
  });

  await page.reload();
  await expect(page.getByRole("article", { name: "berths.txt" })).toBeVisible();

  await page.getByRole("link", { name: "Inbox" }).first().click();
  await expect(page.getByText("1 document, 0 unread")).toBeVisible();
  const recorded = await recorder.all();
  expect(recorded.map(({ where }) => where)).toContain("event inbox");
  for (const asked of ["edition=gaps", "edition=redacted", "/verification", "/receipt"]) {
    expect(
      recorded.some(({ where }) => where.startsWith("http") && where.endsWith(asked)),
      asked,
    ).toBe(true);
  }
  expectNothingClassified(recorded, receipt);
});

/** Sends it a PDF of which page 2 is marked; ends when it is delivered. */
async function sendPages(author: Person, reader: Person): Promise<void> {
  const body = Uint8Array.from(await readFile(sample("pdf/reportlab.pdf")));
  const { id } = await author.api<Draft>("POST", "/drafts", { query: { form: "file", name: "pages.pdf" }, body });
  const draft = await author.api<Draft>("PUT", `/drafts/${id}/marks`, {
    json: { marks: [{ address: "page/2" }] },
    headers: { "If-Match": '"1"' },
  });
  await delivered(author, await send(author, draft, reader));
}

test("recipients without clearance see a file's redacted edition, or why there is none", async ({
  people,
  open,
  guard,
}) => {
  guard.allowStatus(403);
  const [anna, rosa] = await Promise.all([people.author(), people.uncleared()]);
  const picture = Buffer.from("GIF89a of the sixth of October");
  const body = Buffer.concat([Buffer.from(`[[0, ${picture.length}]]\n`), picture]);
  const draft = await anna.api<Draft>("POST", "/drafts", {
    query: { form: "framed", name: "berths.gif", media_type: "image/gif" },
    body,
  });
  await delivered(anna, await send(anna, draft, rosa));
  const page = await open(rosa);
  await expect(page.getByRole("listitem").filter({ hasText: "berths.gif" })).toContainText("Nothing to read for you");
  await page.getByRole("link", { name: "berths.gif" }).click();
  await expect(page.getByText("Not shown here")).toBeVisible();
  await expect(page.getByRole("link", { name: "Download", exact: true })).toHaveCount(0);
  await expectAccessible(page, BOTH);

  await test.step("the redacted edition of a file is looked at where it is", async () => {
    await sendPages(anna, rosa);
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await page.getByRole("link", { name: "Unread: pages.pdf" }).click();
    const edition = page.getByRole("region", { name: "Redacted edition" });
    const shown = (number: number) => edition.getByRole("img", { name: `Page ${number}, rendered` });
    await expect.poll(() => shown(1).evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await expect(edition.getByRole("document", { name: "Text of page 1" })).toContainText(unspaced(PAGE_1));
    await edition.getByRole("button", { name: "Page 2", exact: true }).click();
    await expect.poll(() => shown(2).evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await expect(edition).not.toContainText(unspaced(PAGE_2));
    await expect(page.getByRole("link", { name: "Whole document" })).toHaveCount(0);
    await expectAccessible(page, BOTH);
  });
});
