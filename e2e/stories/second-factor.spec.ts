/** A person adds a passkey and signs in with it; an admin removes it when it is lost. */
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../fixtures/page-checks.ts";
import { signIn } from "../fixtures/sign-in.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

/** Gives the browser an authenticator like that of a laptop with a fingerprint reader. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("a passkey is the second factor, or signs in alone, until an admin removes it", async ({
  page,
  pair,
  people,
  open,
  guard,
}) => {
  guard.allowStatus(401);
  const [anna, ada] = await Promise.all([people.author(), people.admin()]);
  // Browsers know passkeys at localhost, but not at IP addresses.
  const url = new URL(pair.alpha.url);
  url.hostname = "localhost";
  guard.belongs(url.origin);
  await addAuthenticator(page);
  const account = page.getByRole("button", { name: `Account: ${anna.displayName}` });
  const signOut = async () => {
    await account.click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  };

  await page.goto(`${url.origin}/account`);
  await signIn(page, anna.name, anna.password);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("Work laptop");
  await page.getByRole("button", { name: "Create passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
  await expect(dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")).toHaveCount(10);
  await expectAccessible(page, BOTH);
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  const factors = page.getByRole("list", { name: "My second factors" });
  await expect(factors.getByText("Work laptop")).toBeVisible();
  await expect(factors.getByText("10 unused codes left")).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await signOut();
  await signIn(page, anna.name, anna.password);
  await expect(page.getByRole("button", { name: "Use your passkey" })).toBeFocused();
  await expectAccessible(page, BOTH);
  await page.keyboard.press("Enter");
  await expect(account).toBeVisible();

  await signOut();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(account).toBeVisible();

  const admin = await open(ada, "/admin/people");
  await admin.getByRole("button", { name: `Actions for ${anna.displayName}` }).click();
  await admin.getByRole("menuitem", { name: "Remove second factor" }).click();
  await admin.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(admin.getByRole("alertdialog")).toBeHidden();
  const ended = page.getByRole("dialog", { name: "You are signed out" });
  await ended.getByLabel("Password", { exact: true }).fill(anna.password);
  await ended.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(ended).toBeHidden();
  await page.goto(`${url.origin}/account`);
  await expect(page.getByText("You have no second factor yet.")).toBeVisible();
});
