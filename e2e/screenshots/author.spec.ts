/** What an author sees: Anna with the report that `make run` begins with. */
import { makeDraft, send, delivered } from "../fixtures/seed.ts";
import { expect, SAMPLE, test } from "./office.ts";

const MINUTES = "Present: the harbour master, <$S>the captain of the survey ship<$E>, two of the council.\n";
const TIDES = "High water on Monday at 04:12 and 16:40.\n";

test("documents, importing, sending", async ({ office: { anna, bruno, rosa }, open, picture }) => {
  await makeDraft(anna, "Tide tables, week 47.txt", TIDES);
  const minutes = await makeDraft(anna, "Minutes of 12 November.txt", MINUTES);
  await delivered(anna, await send(anna, minutes, bruno));
  const report = await makeDraft(anna, "sample.md", SAMPLE, "text/markdown");

  const page = await open(anna, "/documents");
  await expect(page.getByRole("listitem").filter({ hasText: "Minutes" })).toContainText("Delivered to bravo");
  await picture(page, "documents");

  await page.getByLabel("Files to import").setInputFiles({
    name: "sample.md",
    mimeType: "text/markdown",
    buffer: Buffer.from(SAMPLE),
  });
  const importing = page.getByRole("dialog", { name: "Import a document" });
  await importing.getByRole("radio", { name: "Marked text" }).click();
  await picture(page, "import");
  await importing.getByRole("button", { name: "Cancel" }).click();

  const transfer = await send(anna, report, bruno, rosa);
  await delivered(anna, transfer);
  await page.goto(`/sent/${transfer}`);
  await expect(page.getByRole("heading", { name: "Timing" })).toBeVisible();
  await picture(page, "transfer");
});
