/** What was added to writing and receiving: the menu, versions, groups, templates, notes and replies, notifications. */
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, MINUTES, SAMPLE, TIDES, test } from "./office.ts";

test("the menu of a document, and two versions compared", async ({ office, open, picture }) => {
  const { anna, bruno } = office;
  const draft = await makeDraft(anna, "sample.md", SAMPLE, "text/markdown");
  // Each version that was sent is kept.
  await delivered(anna, await send(anna, draft, bruno));
  const later = SAMPLE.replace("The council", "The new council").replace(/<\$S>([^<]*)<\$E>/, "$1");
  await anna.api("PUT", `/drafts/${draft.id}`, {
    query: { form: "marked" },
    headers: { "If-Match": '"1"' },
    body: `${later}\nThe berth is booked until <$S>6 December<$E>.\n`,
  });
  const page = await open(anna, `/documents/${draft.id}`);
  await page.setViewportSize({ width: 1280, height: 640 });
  await page.getByRole("button", { name: "More" }).click();
  // Not as a part: the menu closes when the page gets another size.
  await expect(page.getByRole("menuitem", { name: "Versions" })).toBeVisible();
  await picture(page, "more-menu");
  await page.goto(`/documents/${draft.id}/versions`);
  await page.getByRole("link", { name: "Version 1", exact: true }).click();
  await page.getByRole("link", { name: "Compare with latest" }).click();
  await expect(page.getByRole("region", { name: "Differences" })).toContainText("6 December");
  await picture(page, "compare");
});

test("templates and tags, and a group of recipients", async ({ office, open, picture }) => {
  const { anna, bruno, rosa } = office;
  const [minutes] = await Promise.all([
    makeDraft(anna, "Minutes.txt", MINUTES),
    makeDraft(anna, "Tide tables, week 47.txt", TIDES),
    makeDraft(anna, "sample.md", SAMPLE, "text/markdown"),
  ]);
  const change = (what: string, more: object = {}) =>
    anna.api("POST", "/drafts/changes", { json: { ids: [minutes.id], change: what, ...more } });
  await change("template");
  await change("tag", { tag: "Council" });
  const page = await open(anna, "/documents");
  await page.getByRole("button", { name: "New from template" }).click();
  await expect(page.getByRole("menuitem", { name: "Minutes.txt" })).toBeVisible();
  await picture(page, "templates");

  const members = [bruno, rosa].map(({ name }) => ({ peer: "bravo", name }));
  await anna.api("POST", "/recipient-groups", { json: { name: "Survey team", members } });
  await page.goto(`/documents/${minutes.id}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await dialog.getByRole("combobox", { name: "Recipients" }).fill("Survey");
  await expect(page.getByRole("option", { name: "Survey team" })).toBeVisible();
  await picture(page, "send-group");
});

test("a note, a reply and notifications", async ({ office, open, picture }) => {
  const { alpha, bravo, anna, bruno, rosa } = office;
  await alpha.admin("PATCH", `/people/${anna.id}`, { json: { is_recipient: true } });
  await bravo.admin("PATCH", `/people/${bruno.id}`, { json: { is_author: true } });
  const { document_id } = await makeDraft(anna, "Minutes.txt", MINUTES);
  const json = {
    document_id,
    peer: "bravo",
    recipients: [bruno.name, rosa.name],
    note: "Please confirm the date with the survey team.",
    read_receipts: true,
  };
  await delivered(anna, (await anna.api<{ id: string }>("POST", "/transfers", { json })).id);
  const page = await open(bruno, "/inbox");
  await page.getByRole("link", { name: /Minutes\.txt/ }).click();
  await expect(page.getByRole("button", { name: "Reply" })).toBeVisible();
  await expect(page.getByText("the captain of the survey ship")).toBeVisible();
  await picture(page, "reply");

  await page.context().grantPermissions(["notifications"]);
  await page.goto("/account");
  const section = page.getByRole("region", { name: "Browser notifications" });
  await section.getByRole("radio", { name: "Show the sender A notification" }).click();
  await picture(page, "notifications", section);
});
