/** What recipients see: Bruno, who is cleared, and Rosa, who is not. */
import { phone } from "../fixtures/looks.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, type Office, SAMPLE, test } from "./office.ts";

const MINUTES = "Present: the harbour master, <$S>the captain of the survey ship<$E>, two of the council.\n";
const TIDES = "High water on Monday at 04:12 and 16:40.\n";

/** Anna has sent three documents, the report last. */
async function receive({ anna, bruno, rosa }: Office): Promise<void> {
  for (const [name, marked] of [
    ["Tide tables, week 47.txt", TIDES],
    ["Minutes of 12 November.txt", MINUTES],
    ["sample.md", SAMPLE],
  ] as const) {
    await delivered(anna, await send(anna, await makeDraft(anna, name, marked), bruno, rosa));
  }
}

test("the inbox, and the report as each may read it", async ({ office, open, picture }) => {
  await receive(office);
  const brunos = await open(office.bruno, "/inbox");
  await expect(brunos.getByRole("link", { name: /sample\.md/ })).toBeVisible();
  await picture(brunos, "inbox");

  await brunos.getByRole("link", { name: /sample\.md/ }).click();
  await expect(brunos.getByText("chartered from Halvorsen")).toBeVisible();
  await picture(brunos, "reading-cleared");

  const rosas = await open(office.rosa, "/inbox");
  await rosas.getByRole("link", { name: /sample\.md/ }).click();
  await expect(rosas.getByText("The eastern breakwater stands")).toBeVisible();
  await picture(rosas, "reading-uncleared");
});

test.describe("on a phone", () => {
  test.use(phone);

  test("the reader", async ({ office, open, picture }) => {
    await receive(office);
    const page = await open(office.bruno, "/inbox");
    await page.getByRole("link", { name: /sample\.md/ }).click();
    await expect(page.getByText("chartered from Halvorsen")).toBeVisible();
    await picture(page, "phone-reader");
  });
});
