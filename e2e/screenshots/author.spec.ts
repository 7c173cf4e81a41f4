/** What an author sees: Anna, with the report that `make run` begins with. */
import type { Page } from "@playwright/test";
import { phone } from "../fixtures/page-checks.ts";
import { type Draft, delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, MINUTES, MOVEMENTS, type Office, PILOTS, SAMPLE, SHIPS, TIDES, test } from "./office.ts";

const CREW = `name,rank,pay a day,aboard since
Halvorsen,captain,410,2 August
Berg,pilot,380,2 August
Okafor,diver,355,9 August
Lindqvist,surveyor,340,30 August
Aydin,cook,210,2 August
`;

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
  await expect(page.getByRole("radio", { name: "Marked text" })).toBeChecked();
  await picture(page, "import");
});

test("several at once", async ({ office, open, picture }) => {
  const { anna } = office;
  await makeReport(office);
  await makeDraft(anna, "Tide tables, week 47.txt", TIDES);
  await makeDraft(anna, "Minutes of 12 November.txt", MINUTES);
  await makeDraft(anna, "Crew of the survey ship.csv", CREW, "text/csv");
  const page = await open(anna, "/documents");
  for (const name of ["Crew of the survey ship.csv", "Minutes of 12 November.txt", "sample.md"])
    await page.getByRole("checkbox", { name: `Select ${name}` }).click();
  await expect(page.getByRole("button", { name: "Send 3" })).toBeVisible();
  await picture(page, "several");

  await page.getByRole("button", { name: "Send 3" }).click();
  const dialog = page.getByRole("dialog", { name: "Send 3 documents" });
  await dialog.getByRole("combobox", { name: "Recipients" }).fill("Bruno");
  await page.getByRole("option", { name: "Bruno" }).click();
  await dialog.getByRole("heading", { name: "Send 3 documents" }).click();
  await expect(dialog.getByText(/This is for all documents together/)).toBeVisible();
  await picture(page, "send-several");
});

test.describe("where findings have to be confirmed", () => {
  test.use({ settings: { SIEVE_OPEN_FINDINGS: "confirm" } });

  test("what the gateway finds before it sends", async ({ office, open, picture }) => {
    const { id } = await makeDraft(office.anna, "Pilots.txt", PILOTS);
    const page = await open(office.anna, `/documents/${id}`);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill("Bruno");
    await page.getByRole("option", { name: "Bruno" }).click();
    const reason = dialog.getByLabel("Reason for sending it anyway");
    await reason.scrollIntoViewIfNeeded();
    await reason.fill("Another Berg: the harbour master’s sister.");
    await picture(page, "findings");
  });
});

test("a policy's hits", async ({ office, open, picture }) => {
  const { alpha, anna } = office;
  await alpha.admin("POST", "/policies", { json: SHIPS });
  const { id } = await makeDraft(anna, "Movements.txt", MOVEMENTS);
  const page = await open(anna, `/documents/${id}`);
  await page.getByRole("button", { name: "Policies" }).click();
  const panel = page.getByRole("region", { name: "Mark by a policy" });
  await panel.getByRole("combobox", { name: "Policy" }).click();
  await page.getByRole("option", { name: SHIPS.title }).click();
  await expect(panel.getByText(/^\d+ hits/)).toBeVisible();
  await picture(page, "policy-hits");
});

test("a table", async ({ office, open, picture }) => {
  const { anna } = office;
  const draft = await anna.api<Draft>("POST", "/drafts", { query: { form: "file", name: "Crew.csv" }, body: CREW });
  await anna.api("PUT", `/drafts/${draft.id}/marks`, {
    headers: { "If-Match": `"${draft.revision}"` },
    json: { marks: [{ address: "column/pay a day" }, { address: "row/3" }] },
  });
  const page = await open(anna, `/documents/${draft.id}`);
  await expect(page.getByRole("grid", { name: "Table" }).getByText("Okafor")).toBeVisible();
  await picture(page, "table");
});

test("the editor, and sending", async ({ office, open, picture }) => {
  const page = await openReport(office, open);
  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await page.setViewportSize({ width: 1280, height: 740 });
  // Down to where most is marked; the same lines are beside each other.
  await page.evaluate(() => window.scrollTo(0, 260));
  await page.getByRole("region", { name: "What an eavesdropper sees" }).evaluate((pane) => pane.scrollTo(0, 222));
  await picture(page, "editor");
  await page.setViewportSize({ width: 1280, height: 800 });

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
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
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
