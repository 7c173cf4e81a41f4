/** What admins see: their people, and how two gateways come to know each other. */
import type { Page } from "@playwright/test";
import type { Gateway } from "../fixtures/gateways.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, MOVEMENTS, PILOTS, SHIPS, test } from "./office.ts";

test("people and peers", async ({ office, open, picture }) => {
  const page = await open(office.ada, "/admin/people");
  await office.alpha.admin("POST", "/people", {
    json: { name: "max", display_name: "Max", is_author: true, is_recipient: true, cleared: true },
  });
  await page.reload();
  await expect(page.getByRole("row", { name: /Max/ })).toContainText("No password yet");
  await picture(page, "people");

  await page.getByRole("link", { name: "Peers" }).click();
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByText(/^bravo answered in /)).toBeVisible();
  await picture(page, "peers");

  await page.getByRole("link", { name: "Storage" }).click();
  await expect(page.getByRole("heading", { name: "How long it is kept" })).toBeVisible();
  await picture(page, "storage");
});

test("policies", async ({ office, open, picture }) => {
  await office.alpha.admin("POST", "/policies", { json: SHIPS });
  await office.alpha.admin("POST", "/policies", {
    json: { name: "pay", title: "Pay", rules: [{ kind: "columns", columns: ["pay a day"], reason: "Pay" }] },
  });
  const page = await open(office.ada, "/admin/policies");
  await expect(page.getByRole("link", { name: SHIPS.title })).toBeVisible();
  await picture(page, "policies");

  await page.getByRole("link", { name: SHIPS.title }).click();
  await page.getByRole("listitem", { name: "Rule 2", exact: true }).getByRole("button").first().click();
  await page.getByLabel("Sample text").fill(MOVEMENTS.split("\n\n", 2).join("\n"));
  await expect(page.getByText(/^\d hits\.$/)).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 1040 });
  await picture(page, "policy");

  await page.getByRole("tab", { name: "File" }).click();
  await expect(page.getByText("[[rules]]").first()).toBeVisible();
  await picture(page, "policy-file");
});

test.describe("where findings have to be confirmed", () => {
  test.use({ settings: { SIEVE_OPEN_FINDINGS: "confirm" } });

  test("the audit log", async ({ office, open, picture }) => {
    const { alpha, anna, bruno, ada } = office;
    await alpha.admin("POST", "/policies", { json: SHIPS });
    const draft = await makeDraft(anna, "Pilots.txt", PILOTS);
    const { digest } = await anna.api<{ digest: string }>("POST", `/drafts/${draft.id}/check`);
    const confirm = { findings_digest: digest, reason: "Another Berg: the harbour master’s sister." };
    await anna.api("POST", "/transfers", {
      json: { document_id: draft.document_id, peer: bruno.gateway.name, recipients: [bruno.name], confirm },
    });
    const page = await open(ada, "/admin/audit");
    await expect(page.getByText(confirm.reason)).toBeVisible();
    await picture(page, "audit");
  });
});

test("pairing", async ({ newOffices, visit, picture }) => {
  const enter = async (gateway: Gateway): Promise<Page> => {
    const { out } = await gateway.command("admin", "create", "ada", "--display-name", "Ada");
    const page = await visit(gateway, out.match(/\S*\/welcome#\S+/)?.[0] ?? "");
    await page.getByLabel("New password", { exact: true }).fill("as long as it has to be");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("button", { name: "Pair with a gateway" }).click();
    return page;
  };
  const [atAlpha, atBravo] = await Promise.all([enter(newOffices.alpha), enter(newOffices.bravo)]);
  const ofBravo = await atBravo.getByLabel("Our invitation").innerText();
  await atAlpha.getByLabel("Paste the invitation from the other admin").fill(ofBravo);
  await atAlpha.getByRole("button", { name: "Add invitation" }).click();
  await expect(atAlpha.getByLabel("Our code")).toBeVisible();
  await picture(atAlpha, "pairing");
});
