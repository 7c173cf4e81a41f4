/** People come in, by a one-time link and by password, and go: here, everywhere, and while they are at work elsewhere. */
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, narrow, phone } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { signIn } from "../fixtures/sign-in.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

async function openAccount(page: Page, { displayName }: Person): Promise<void> {
  await page.getByRole("button", { name: `Account: ${displayName}` }).click();
  await page.getByRole("menuitem", { name: "Account" }).click();
}

/** The bundled fonts that the page has loaded, with style and first letters of each file but those of upright Latin ones. */
function loadedFonts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.fonts]
      .filter(({ status, family }) => status === "loaded" && family.includes("Variable"))
      .map(({ family, style, unicodeRange }) =>
        [family.replaceAll('"', ""), style, unicodeRange.split(",")[0]].join(" ").replace(" normal U+0-FF", ""),
      )
      .sort(),
  );
}

test("signing in returns to the requested page", async ({ page, people }) => {
  const anna = await people.author();
  await page.goto("/sent?state=failed");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expectAccessible(page, BOTH);
  await expect.poll(() => loadedFonts(page)).toEqual(["Inter Variable", "Source Serif 4 Variable"]);
  await signIn(page, anna.name, anna.password);
  await expect(page.getByRole("heading", { name: "Sent" })).toBeVisible();
  await expect(page).toHaveURL(/\/sent\?state=failed$/);
  await expect(page.getByRole("button", { name: `Account: ${anna.displayName}` })).toBeVisible();
});

test("each person starts on the page for their role", async ({ people, open }) => {
  const [anna, ada, bruno] = await Promise.all([people.author(), people.admin(), people.cleared()]);
  await expect(await open(anna)).toHaveURL(/\/documents$/);
  await expect(await open(ada)).toHaveURL(/\/admin\/people$/);
  await expect(await open(bruno)).toHaveURL(/\/inbox$/);
});

test("a wrong password and an unknown login give the same error", async ({ page, people, guard }) => {
  guard.allowStatus(401);
  const anna = await people.author();
  await page.goto("/sign-in");
  await signIn(page, anna.name, `${anna.password}x`);
  const told = await page.getByRole("alert").innerText();
  await expect(page.getByLabel("Login")).toHaveValue(anna.name);
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
  await expectAccessible(page, BOTH);
  await page.reload();
  await signIn(page, `${anna.name}x`, anna.password);
  await expect(page.getByRole("alert")).toHaveText(told);
  await signIn(page, anna.name, anna.password);
  await expect(page.getByRole("button", { name: `Account: ${anna.displayName}` })).toBeVisible();
});

test("a one-time link sets a password once", async ({ page, pair, people, guard }) => {
  const rosa = await people.author();
  const { url } = await pair.alpha.admin<{ url: string }>("POST", `/people/${rosa.id}/link`);
  await page.goto(url);
  await expect(page.getByRole("heading", { name: `Welcome, ${rosa.displayName}` })).toBeVisible();
  expect(page.url(), "the code is no longer in the address").not.toContain("#");
  await page.getByLabel("New password", { exact: true }).fill("too short");
  await expect(page.getByRole("button", { name: "Set password and sign in" })).toBeDisabled();
  await expectAccessible(page, BOTH);
  await page.getByLabel("New password", { exact: true }).fill("a password of her own");
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(page.getByRole("button", { name: `Account: ${rosa.displayName}` })).toBeVisible();

  guard.allowStatus(404);
  const again = await page.context().newPage();
  await again.goto(url);
  await expect(again.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await expectAccessible(again);
});

test("signing out applies to every tab of the browser", async ({ people, open, guard }) => {
  guard.allowStatus(401);
  const anna = await people.author();
  const page = await open(anna, "/documents");
  const tab = await page.context().newPage();
  await tab.goto("/sent");
  await expect(tab.getByRole("heading", { name: "Sent" })).toBeVisible();
  await page.getByRole("button", { name: `Account: ${anna.displayName}` }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await expect(tab.getByRole("dialog", { name: "You are signed out" })).toBeVisible();
  await page.goto("/documents");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

test("signing out everywhere interrupts work in another browser, which continues after signing in again", async ({
  people,
  open,
  guard,
}) => {
  guard.allowStatus(401);
  const anna = await people.author();
  const here = await open(anna, "/account");
  const there = await open(anna, "/sent");
  await expect(there.getByRole("heading", { name: "Sent" })).toBeVisible();
  await here.getByRole("button", { name: "Sign out everywhere" }).click();
  await expectAccessible(here, BOTH);
  await here.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(here.getByRole("heading", { name: "Sign in" })).toBeVisible();

  const dialog = there.getByRole("dialog", { name: "You are signed out" });
  await expect(dialog).toBeVisible();
  await expectAccessible(there, BOTH);
  await dialog.getByLabel("Password", { exact: true }).fill(anna.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await openAccount(there, anna);
  await expect(there.getByRole("heading", { name: anna.displayName })).toBeVisible();
});

test("a new password ends all other sign-ins", async ({ people, open, guard }) => {
  guard.allowStatus(401);
  const anna = await people.author();
  const here = await open(anna, "/account");
  const there = await open(anna, "/sent");
  await expect(there.getByRole("heading", { name: "Sent" })).toBeVisible();
  await here.getByLabel("Current password").fill(anna.password);
  await here.getByLabel("New password", { exact: true }).fill("another one of hers");
  await here.getByRole("button", { name: "Change password" }).click();
  await expect(here.getByText("Password changed")).toBeVisible();
  await expect(there.getByRole("dialog", { name: "You are signed out" })).toBeVisible();
  await here.reload();
  await expect(here.getByRole("heading", { name: anna.displayName })).toBeVisible();
});

test.describe("on a narrow screen", () => {
  test.use(narrow);

  test("signing in and the account fit, as on a phone", async ({ page, people }) => {
    const anna = await people.author();
    const expectFit = async () => {
      await expectAccessible(page, BOTH);
      for (const { viewport } of [phone, narrow]) {
        await page.setViewportSize(viewport);
        await expectNoSidewaysScroll(page);
      }
    };
    await page.goto("/account");
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
    await expectFit();
    await signIn(page, anna.name, anna.password);
    await expect(page.getByRole("heading", { name: anna.displayName })).toBeVisible();
    await expectFit();
  });
});

test.describe("in French", () => {
  test.use(phone);

  test("a person chooses the language, signs in and reads", async ({ page, people }) => {
    const anna = await people.author();
    await makeDraft(anna, "rapport.txt", `Le <$S>port<$E> ${"est calme. ".repeat(120)}`);
    await page.goto("/documents");
    await page.getByRole("button", { name: "Français" }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "fr");
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await page.getByLabel("Identifiant").fill(anna.name);
    await page.getByLabel("Mot de passe", { exact: true }).fill(anna.password);
    await page.getByRole("button", { name: "Se connecter" }).click();

    await expect(page.getByRole("heading", { level: 1, name: "Documents" })).toBeVisible();
    const row = page.getByRole("listitem").filter({ hasText: "rapport.txt" });
    // A decimal comma and a French unit.
    await expect(row).toContainText(/1,3\s*Ko/);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await row.getByRole("link", { name: "rapport.txt" }).click();
    await expect(page.getByRole("textbox", { name: "Texte du document" })).toContainText("est calme.");
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);

    await page.getByRole("button", { name: `Compte : ${anna.displayName}` }).click();
    await page.getByRole("menuitemradio", { name: "English" }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    await expect(page.getByRole("textbox", { name: "Text of the document" })).toContainText("est calme.");
  });
});
