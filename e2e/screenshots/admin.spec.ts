/** What admins see: their people, and how two gateways come to know each other. */
import type { Page } from "@playwright/test";
import type { Gateway } from "../fixtures/gateways.ts";
import { expect, test } from "./office.ts";

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
  await atAlpha.getByLabel("Paste the invitation that they gave you").fill(ofBravo);
  await atAlpha.getByRole("button", { name: "Take invitation" }).click();
  await expect(atAlpha.getByLabel("Our code")).toBeVisible();
  await picture(atAlpha, "pairing");
});
