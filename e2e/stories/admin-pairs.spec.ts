/** Two offices from nothing: their admins let themselves and others in, and make the gateways know each other. */
import type { Page } from "@playwright/test";
import { expectAccessible, expectToFitPhone } from "../fixtures/page-checks.ts";
import { choosePassword, firstAdmin } from "../fixtures/sign-in.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

/** Makes an account; the one-time link that the admin hands on. */
async function letIn(page: Page, name: string, may: string[]): Promise<string> {
  await page.getByRole("button", { name: "New person" }).click();
  const dialog = page.getByRole("dialog", { name: "New person" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Login").fill(name.toLowerCase());
  for (const box of may) await dialog.getByRole("checkbox", { name: box }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create account" }).click();
  const made = page.getByRole("dialog", { name: `Account created for ${name}` });
  const link = await made.getByLabel(`One-time link for ${name}`).innerText();
  await expectAccessible(page);
  await made.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("row", { name: new RegExp(name) })).toContainText("No password yet");
  return link;
}

/** Opens the dialog for pairing; our invitation. */
async function invite(page: Page): Promise<string> {
  await page.getByRole("link", { name: "Peers" }).click();
  await expect(page.getByText("No peers yet")).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.getByRole("button", { name: "Pair with a gateway" }).click();
  return page.getByLabel("Our invitation").innerText();
}

async function take(page: Page, invitation: string): Promise<void> {
  await page.getByLabel("Paste the invitation from the other admin").fill(invitation);
  await page.getByRole("button", { name: "Add invitation" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
}

test("two admins pair their gateways, and the authors exchange documents", async ({ newOffices, visit, guard }) => {
  const { alpha, bravo } = newOffices;
  const [atAlpha, atBravo] = await Promise.all([firstAdmin(alpha, visit), firstAdmin(bravo, visit)]);

  await test.step("people are let in, each by a link of their own", async () => {
    const [toAnna, toBruno] = await Promise.all([
      letIn(atAlpha, "Anna", ["Author"]),
      letIn(atBravo, "Bruno", ["Recipient", "Cleared"]),
    ]);
    await expectAccessible(atAlpha, BOTH);
    const annas = await visit(alpha, toAnna);
    await choosePassword(annas, "Anna");
    await expect(annas.getByRole("heading", { name: "Documents", level: 1 })).toBeVisible();
    const brunos = await visit(bravo, toBruno);
    await choosePassword(brunos, "Bruno");
    await expect(brunos.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
    await atAlpha.reload();
    await expect(atAlpha.getByRole("row", { name: /Anna/ })).toContainText("Password set");
  });

  await test.step("the admins exchange invitations", async () => {
    const [ofAlpha, ofBravo] = await Promise.all([invite(atAlpha), invite(atBravo)]);
    await expectAccessible(atAlpha, BOTH);
    guard.allowStatus(400, 422);
    await atAlpha.getByLabel("Paste the invitation from the other admin").fill(ofBravo.slice(0, -9));
    await atAlpha.getByRole("button", { name: "Add invitation" }).click();
    await expect(atAlpha.getByRole("dialog").getByRole("alert")).toBeVisible();
    await expectToFitPhone(atAlpha);
    await Promise.all([take(atAlpha, ofBravo), take(atBravo, ofAlpha)]);
    await expect(atAlpha.getByRole("article", { name: "bravo" })).toContainText("Waiting for code");
  });

  await test.step("each admin confirms the code that the other reads out", async () => {
    guard.allowStatus(409);
    const codes = await Promise.all([atAlpha, atBravo].map((page) => page.getByLabel("Our code").innerText()));
    const [ofAlpha = "", ofBravo = ""] = codes;
    const said = atAlpha.getByLabel("Code read out by bravo’s admin");
    await said.fill(ofAlpha);
    await atAlpha.getByRole("button", { name: "Confirm" }).click();
    await expect(atAlpha.getByRole("alert")).toContainText("This is the code of this gateway");
    await said.fill(ofBravo.replace(/\w/g, (letter) => (letter === "2" ? "3" : "2")));
    await atAlpha.getByRole("button", { name: "Confirm" }).click();
    await expect(atAlpha.getByRole("alert")).toContainText("This is not the code of bravo");
    await expectAccessible(atAlpha, BOTH);
    await expectToFitPhone(atAlpha);
    await expect(atAlpha.getByRole("article", { name: "bravo" })).toContainText("Waiting for code");
    // As it is heard on the telephone.
    await said.fill(` ${ofBravo.toLowerCase()} `);
    await atAlpha.getByRole("button", { name: "Confirm" }).click();
    await atBravo.getByLabel("Code read out by alpha’s admin").fill(ofAlpha);
    await atBravo.getByRole("button", { name: "Confirm" }).click();
    for (const page of [atAlpha, atBravo]) await expect(page.getByRole("article")).toContainText("Paired");
  });

  await test.step("the connection is tested", async () => {
    await atAlpha.getByRole("button", { name: "Test connection" }).click();
    await expect(atAlpha.getByText(/^bravo answered in /)).toBeVisible();
    const card = atAlpha.getByRole("article", { name: "bravo" });
    await expect(card).toContainText(/Latency[\d.,]+ m?s \(connection test\)/);
    // The first answer took a handshake, too: the second counts for the latency.
    await atAlpha.getByRole("button", { name: "Test connection" }).click();
    await expect(card).toContainText(/Latency[\d.,]+ m?s \(median.*Certificate\d+ days left/);
    await expectAccessible(atAlpha, BOTH);
    await expectToFitPhone(atAlpha);
    guard.allowStatus(502, 503, 504);
    guard.allowOutage(bravo.url);
    await bravo.stop();
    await atAlpha.getByRole("button", { name: "Test connection" }).click();
    await expect(atAlpha.getByRole("alert")).toContainText("bravo did not answer.");
    await expectAccessible(atAlpha);
  });

  await test.step("a peer is removed, once that is confirmed", async () => {
    await atAlpha.getByRole("button", { name: "Actions for bravo" }).click();
    await atAlpha.getByRole("menuitem", { name: "Remove" }).click();
    const sure = atAlpha.getByRole("alertdialog", { name: "Remove bravo?" });
    await expectAccessible(atAlpha, BOTH);
    await sure.getByRole("button", { name: "Cancel" }).click();
    await expect(atAlpha.getByRole("article", { name: "bravo" })).toBeVisible();
    await atAlpha.getByRole("button", { name: "Actions for bravo" }).click();
    await atAlpha.getByRole("menuitem", { name: "Remove" }).click();
    await sure.getByRole("button", { name: "Remove" }).click();
    await expect(atAlpha.getByText("No peers yet")).toBeVisible();
  });
});
