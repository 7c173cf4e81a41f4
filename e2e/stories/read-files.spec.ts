/** Files that are not plain text are read where they are: cleared recipients see all of them, others what is left. */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { sample } from "../fixtures/files.ts";
import { expectAccessible, expectNoSidewaysScroll, expectToFitPhone, phone } from "../fixtures/page-checks.ts";
import { addPerson, type Person } from "../fixtures/people.ts";
import { type Draft, delivered, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const MARKDOWN = `# Sailing plan

Ships *leave <$S>at noon* on Friday<$E> &amp; nothing is late. See [the port](https://port.test/plan).

| ship | berth |
|------|------:|
| Alba | <$S>17<$E> |
`;

/** Sends a file with these marks; ends when it is delivered. */
async function sendFile(
  author: Person,
  name: string,
  body: Uint8Array<ArrayBuffer>,
  marks: object[],
  to: readonly [Person, Person],
) {
  const { id } = await author.api<Draft>("POST", "/drafts", { query: { form: "file", name }, body });
  const draft = await author.api<Draft>("PUT", `/drafts/${id}/marks`, {
    json: { marks },
    headers: { "If-Match": '"1"' },
  });
  await delivered(author, await send(author, draft, ...to));
}

async function show(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: "Inbox" }).first().click();
  await page.getByRole("link", { name, exact: false }).first().click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

test("recipients read Word, PowerPoint, PDF, a table and Markdown, each as far as they are cleared", async ({
  people,
  open,
  pair,
}) => {
  test.slow(); // five files, two readers, and a look at each at both widths
  const [anna, bruno, rosa] = await Promise.all([
    people.author(),
    addPerson(pair.bravo, "Bruno", { is_recipient: true, cleared: true, is_author: true }),
    people.uncleared(),
  ]);
  const both = [bruno, rosa] as const;
  const word = Uint8Array.from(await readFile(sample("office/every-place.docx")));
  const slides = Uint8Array.from(await readFile(sample("producers/libreoffice.pptx")));
  const pdf = Uint8Array.from(await readFile(sample("pdf/reportlab.pdf")));
  const table = new TextEncoder().encode("ship,berth\nAlba,secret\nBoreas,12\n");
  await sendFile(anna, "memo.docx", word, [{ address: "word/document.xml/p2", start: 5, end: 16 }], both);
  await sendFile(anna, "plan.pptx", slides, [{ address: "slide/1/p2", start: 0, end: 10 }], both);
  await sendFile(anna, "pages.pdf", pdf, [{ address: "page/2" }], both);
  await sendFile(anna, "berths.csv", table, [{ address: "row/1/berth" }], both);
  const markdown = await anna.api<Draft>("POST", "/drafts", {
    query: { form: "marked", name: "plan.md", media_type: "text/markdown" },
    body: MARKDOWN,
  });
  await delivered(anna, await send(anna, markdown, ...both));

  const page = await open(bruno, "/inbox");
  await test.step("the inbox has the latest first, or is sorted by name", async () => {
    const names = page.getByRole("list", { name: "Received documents" }).getByRole("link");
    await expect(names).toHaveText([/plan\.md/, /berths\.csv/, /pages\.pdf/, /plan\.pptx/, /memo\.docx/]);
    await page.getByRole("combobox", { name: "Sort by" }).click();
    await page.getByRole("option", { name: "By name" }).click();
    await expect(names).toHaveText([/berths\.csv/, /memo\.docx/, /pages\.pdf/, /plan\.md/, /plan\.pptx/]);
    await expect(page).toHaveURL("/inbox?sort=name");
  });
  await test.step("the cleared see all of the Word file", async () => {
    await show(page, "memo.docx");
    const text = page.getByRole("document", { name: "Text: Text", exact: true });
    await expect(text.locator("mark.classified")).toHaveText(["XQZVK PLMRT"]);
    await expect(
      page.getByText("What the author marked is highlighted. The redacted edition may withhold more."),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: /^Mark/ })).toHaveCount(0);
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
  });
  await test.step("and of the slides and their notes", async () => {
    await show(page, "plan.pptx");
    const slide = page.getByRole("document", { name: "Text: Slide 1", exact: true });
    await expect(slide.locator("mark.classified")).toHaveText(["ORION VEGA"]);
    await expect(page.getByRole("document", { name: "Text: Notes of slide 1", exact: true })).toBeVisible();
    await expectAccessible(page);
  });
  await test.step("and of the PDF, the table and the Markdown", async () => {
    await show(page, "pages.pdf");
    await expect(page.getByRole("button", { name: "Page 2, classified" })).toBeVisible();
    const parts = page.getByRole("group", { name: "Classified parts" });
    await parts.getByRole("button", { name: "Next classified part" }).click();
    await expect(parts).toContainText("1 of 1 classified");
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
    await show(page, "berths.csv");
    await expect(page.getByRole("gridcell", { name: "secret (classified)" })).toBeVisible();
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
    const views = page.getByRole("group", { name: "View of the table" });
    await views.getByRole("button", { name: "Text" }).click();
    await expect(page.locator("mark", { hasText: "secret" })).toBeVisible();
    await expect(page.getByText("ship,berth")).toBeVisible();
    await views.getByRole("button", { name: "Table" }).click();
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute("data-printed", "");
    });
    await page.getByRole("button", { name: "Print" }).click();
    await expect(page.locator("body[data-printed]")).toBeVisible();
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("row", { name: "1 Alba secret" }).locator("mark.classified")).toHaveText("secret");
    await expect(page.getByRole("grid")).toBeHidden();
    await page.emulateMedia({ media: "screen" });
    await show(page, "plan.md");
    const rendered = page.getByRole("article", { name: "plan.md" });
    await expect(rendered.getByRole("heading", { name: "Sailing plan", level: 2 })).toBeVisible();
    await expect(rendered.locator("mark.classified")).toHaveText(["at noon", " on Friday", "17"]);
    await expect(rendered).toContainText("& nothing is late. See the port (https://port.test/plan).");
    await expect(rendered.locator("a, img")).toHaveCount(0);
    await expectAccessible(page, BOTH);
  });

  await test.step("an author among them forwards it with exactly its marks", async () => {
    await show(page, "memo.docx");
    await page.getByRole("button", { name: "Forward" }).click();
    await expect(page.getByText(`Forwarded from ${anna.displayName} at ${anna.gateway.name}`)).toBeVisible();
    await expect(page.getByRole("heading", { name: "memo.docx", level: 1 })).toBeVisible();
    await expect(page.locator("mark.classified")).toHaveText(["XQZVK PLMRT"]);
    await expectAccessible(page);
  });

  await page.context().close();
  const theirs = await open(rosa);
  await theirs.setViewportSize(phone.viewport);
  await test.step("the others see what is left, in the same views, also on a phone", async () => {
    await show(theirs, "memo.docx");
    await expect(theirs.getByRole("document", { name: "Text: Text", exact: true })).toContainText("█████");
    await expectNoSidewaysScroll(theirs);
    await show(theirs, "plan.pptx");
    await expect(theirs.getByRole("document", { name: "Text: Slide 1", exact: true })).toContainText(
      "█████ in the text",
    );
    await expectNoSidewaysScroll(theirs);
    await show(theirs, "berths.csv");
    await expect(theirs.getByRole("gridcell", { name: "█████" })).toBeVisible();
    await expect(theirs.getByRole("gridcell", { name: "Boreas" })).toBeVisible();
    await expect(theirs.getByText("secret")).toHaveCount(0);
    await expectNoSidewaysScroll(theirs);
    await expectAccessible(theirs);
    await show(theirs, "plan.md");
    const rendered = theirs.getByRole("article", { name: "plan.md" });
    await expect(rendered.getByRole("img", { name: "withheld" })).toHaveCount(2);
    await expect(rendered).not.toContainText("noon");
    await expectNoSidewaysScroll(theirs);
    await expectAccessible(theirs);
  });
});

test("recipients read a mail with its texts and attachment, and the files of an archive", async ({ people, open }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const mail = Uint8Array.from(await readFile(sample("producers/python.eml")));
  const marks = [1, 2].map((body) => ({ address: `body/${body}/text/p2`, start: 12, end: 22 }));
  const archive = Uint8Array.from(await readFile(sample("producers/python.zip")));
  await sendFile(anna, "code.eml", mail, marks, [bruno, rosa]);
  await sendFile(anna, "codes.zip", archive, [{ address: "file/1/text", start: 12, end: 22 }], [bruno, rosa]);
  const [page, theirs] = await Promise.all([open(bruno), open(rosa)]);
  await show(page, "code.eml");
  await expect(page.getByRole("document", { name: "Text: Message header" })).toContainText("SubjectThe ferry");
  await expect(page.locator("mark.classified")).toHaveText(["ORION VEGA", "ORION VEGA"]);
  await expect(page.getByRole("document", { name: "Text: Attachment 1" })).toContainText("Hamburg");
  await expectAccessible(page);
  await theirs.setViewportSize(phone.viewport);
  await show(theirs, "code.eml");
  for (const name of ["Text: Text", "Text: Text 2"]) {
    const text = theirs.getByRole("document", { name, exact: true });
    await expect(text).toContainText("The code is █████, said Ann.");
  }
  await expectNoSidewaysScroll(theirs);
  await expectAccessible(theirs);
  await show(page, "codes.zip");
  await expect(page.getByRole("document", { name: "Text: File 1" }).locator("mark.classified")).toHaveText([
    "ORION VEGA",
  ]);
  await expect(page.getByRole("document", { name: "Text: File 2" })).toContainText("ports.csv");
  await expectAccessible(page);
  await show(theirs, "codes.zip");
  await expect(theirs.getByRole("document", { name: "Text: File 1" })).toContainText("The code is █████.");
  await expectNoSidewaysScroll(theirs);
});
