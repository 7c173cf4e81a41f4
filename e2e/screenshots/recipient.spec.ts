/** What recipients see: Bruno, who is cleared, and Rosa, who is not. */
import { phone } from "../fixtures/page-checks.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, MINUTES, type Office, SAMPLE, TIDES, test } from "./office.ts";

/** Anna has sent three documents, the report last. */
async function receive({ anna, bruno, rosa }: Office): Promise<void> {
  for (const [name, marked, type] of [
    ["Tide tables, week 47.txt", TIDES, "text/plain"],
    ["Minutes of 12 November.txt", MINUTES, "text/plain"],
    ["sample.md", SAMPLE, "text/markdown"],
  ] as const) {
    await delivered(anna, await send(anna, await makeDraft(anna, name, marked, type), bruno, rosa));
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
