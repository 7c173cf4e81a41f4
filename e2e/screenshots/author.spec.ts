/** What an author sees: Anna, with the report that `make run` begins with. */
import type { Page } from "@playwright/test";
import { phone } from "../fixtures/looks.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, MINUTES, type Office, SAMPLE, TIDES, test } from "./office.ts";

const makeReport = ({ anna }: Office) => makeDraft(anna, "sample.md", SAMPLE, "text/markdown");

async function openReport(office: Office, open: (person: Office["anna"], path: string) => Promise<Page>) {
  const { id } = await makeReport(office);
  const page = await open(office.anna, `/documents/${id}`);
  await expect(page.getByText("chartered from Halvorsen").first()).toBeVisible();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  return page;
}

test("documents, importing", async ({ office, open, picture }) => {
  const { anna, bruno } = office;
  await makeDraft(anna, "Tide tables, week 47.txt", TIDES);
  await delivered(anna, await send(anna, await makeDraft(anna, "Minutes of 12 November.txt", MINUTES), bruno));
  await makeReport(office);
  const page = await open(anna, "/documents");
  await expect(page.getByRole("listitem").filter({ hasText: "Minutes" })).toContainText("Delivered to bravo");
  await picture(page, "documents");

  await page.getByLabel("Files to import").setInputFiles({
    name: "minutes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(MINUTES),
  });
  await page.getByRole("radio", { name: "Marked text" }).click();
  await picture(page, "import");
});

test("the editor, and sending", async ({ office, open, picture }) => {
  const page = await openReport(office, open);
  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  // Down to where most is marked; the same lines stand beside each other.
  await page.evaluate(() => window.scrollTo(0, 260));
  await page.getByRole("region", { name: "What an eavesdropper sees" }).evaluate((pane) => pane.scrollTo(0, 222));
  await picture(page, "editor");

  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  const recipients = dialog.getByRole("combobox", { name: "Recipients" });
  for (const name of ["Bruno", "Rosa"]) {
    await recipients.fill(name);
    await page.getByRole("option", { name }).click();
  }
  await dialog.getByRole("heading", { name: "Send this document" }).click();
  await expect(dialog.getByText("Rosa is not cleared")).toBeVisible();
  await picture(page, "send");

  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Bravo has it. Receipt checked." })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Timing" })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 1040 });
  await picture(page, "transfer");
});

test("the editor in the dark, with a selection", async ({ office, open, picture }) => {
  const page = await openReport(office, open);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByText("Dredging").first().dblclick();
  await expect(page.getByRole("group", { name: "The selection" })).toBeVisible();
  await picture(page, "editor-dark");
});

test.describe("on a phone", () => {
  test.use(phone);

  test("the editor", async ({ office, open, picture }) => {
    await picture(await openReport(office, open), "phone-editor");
  });
});
