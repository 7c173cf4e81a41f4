/** People sign in with their office's provider, and confirm there that it is still them. */
import { Gateways, START_MS } from "../fixtures/gateways.ts";
import { CLIENT, SECRET, startProvider } from "../fixtures/oidc.ts";
import { expectAccessible, expectNoSidewaysScroll } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

test("a person signs in with the provider, and one without a role does not", async ({ visit, guard }) => {
  test.setTimeout(START_MS);
  guard.allowStatus(403);
  const provider = await startProvider();
  const offices = await Gateways.start("alone", {
    SIEVE_OIDC_ISSUER: provider.issuer,
    SIEVE_OIDC_CLIENT_ID: CLIENT,
    SIEVE_OIDC_CLIENT_SECRET: SECRET,
    SIEVE_OIDC_SCOPES: "openid profile groups",
    SIEVE_OIDC_NAME: "Office login",
    SIEVE_OIDC_RIGHTS: "authors=author",
    SIEVE_OIDC_NEW_ACCOUNTS: "true",
  });
  guard.belongs(offices.alpha.url);
  guard.belongs(provider.issuer);
  await offices.alpha.command("admin", "create", "ada");

  const page = await visit(offices.alpha, "/account");
  await expectAccessible(page, BOTH);
  await page.getByRole("button", { name: "Sign in with Office login" }).click();
  await page.getByRole("link", { name: "Continue as Noor Haddad" }).click();
  await expect(page.getByRole("alert")).toContainText("gives you no role at this gateway");
  expect(page.url()).toBe(`${offices.alpha.url}/sign-in/sso`);
  await expectAccessible(page, BOTH);
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  // The provider remembers who was there.
  await page.context().clearCookies();

  await page.goto("/account");
  await page.getByRole("button", { name: "Sign in with Office login" }).click();
  await page.getByRole("link", { name: "Continue as Ines Roy" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Ines Roy" })).toBeVisible();
  await expect(page).toHaveURL(/\/account$/);
  await expect(page.getByText("You sign in with Office login")).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole("button", { name: "Sign out of Office login, too" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await offices.end();
  await provider.stop();
});
