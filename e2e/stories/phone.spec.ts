/** All of it on a phone, by touch: writing, marking, sending, reading, administering. */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, narrow, phone } from "../fixtures/page-checks.ts";
import { addPersonNamed } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { tapText } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";
import { SECRETS, sendBerths } from "../fixtures/unique-document.ts";

const LEAST_PX = 24;
const LONG = "a-name-without-a-place-to-break-it-that-goes-on-and-on-for-ever.txt";

/** What is on the screen is looked at on either phone, in one of the themes. The way on is on the last, the narrowest. */
const SCREENS = [
  { viewport: phone.viewport, theme: "light" },
  { viewport: narrow.viewport, theme: "dark" },
] as const;

test.use(narrow);

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });
const main = (page: Page): Locator => page.getByRole("navigation", { name: "Main" }).last();

/** What can be tapped is large enough for a finger. Links within a sentence are as high as their line. */
async function expectLargeTargets(page: Page): Promise<void> {
  const targets = page.locator("a[href], button, input, summary, [role=button], [role=menuitem], [role=option]");
  const small = await targets.evaluateAll((elements, least) => {
    const seen = elements.filter((element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    return seen.flatMap((element) => {
      const area = element.closest("label") ?? element;
      const { width, height } = area.getBoundingClientRect();
      const isInText = getComputedStyle(element).display === "inline";
      // What is there for screen readers only has no size to speak of.
      const isHidden = width <= 1 || height <= 1 || element.closest("[aria-hidden=true], [inert]") !== null;
      if (isInText || isHidden || (width >= least && height >= least)) return [];
      return [`${element.getAttribute("aria-label") ?? element.textContent}: ${width} x ${height} px`];
    });
  }, LEAST_PX);
  expect(small, `${page.url()} has targets of less than ${LEAST_PX} px`).toEqual([]);
}

type Look = (theme: "light" | "dark") => Promise<void>;

/** Ends on the narrowest, where it began. A menu is opened on each: it stays where it fitted when it opened. */
async function onEachPhone(page: Page, look: Look): Promise<void> {
  for (const { viewport, theme } of SCREENS) {
    await page.setViewportSize(viewport);
    // A phone zooms what was wider than it is now, for a moment: what is tapped then is missed.
    await page.waitForFunction(
      (width) => visualViewport?.scale === 1 && visualViewport.width === width,
      viewport.width,
    );
    // What follows the width by script has followed.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await look(theme);
  }
}

async function expectFitIn(page: Page, theme: "light" | "dark"): Promise<void> {
  await expectNoSidewaysScroll(page);
  await expectLargeTargets(page);
  // Once: the wider one differs in nothing that a scan finds, and the stories of each page scan it in both themes.
  if (theme === "dark") await expectAccessible(page, [theme]);
}

function expectFit(page: Page): Promise<void> {
  return onEachPhone(page, (theme) => expectFitIn(page, theme));
}

test("an author writes, marks, previews and sends, and the recipient reads", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(anna);

  await test.step("writes", async () => {
    await page.getByRole("button", { name: "New document" }).tap();
    const naming = page.getByRole("dialog", { name: "New document" });
    await naming.getByLabel("Name").fill(LONG);
    await expectFit(page);
    await naming.getByRole("button", { name: "Create" }).tap();
    await expect(editorOf(page)).toBeFocused();
    await page.keyboard.type("Berth 3 opens on the sixth of October. The pilot is Wilhelmine.");
    await expect(editorOf(page)).toContainText("Wilhelmine.");
  });

  const tools = page.getByRole("toolbar", { name: "Text tools" });
  await test.step("marks the word at the cursor", async () => {
    for (const word of ["October", "Wilhelmine"]) {
      await tapText(editorOf(page), word);
      await tools.getByRole("button", { name: "Mark as classified" }).tap();
    }
    await expect(editorOf(page).locator("mark")).toHaveText(["October", "Wilhelmine"]);
    await onEachPhone(page, () => expect(tools).toBeInViewport({ ratio: 1 }));
    await expectFit(page);
    await tools.getByRole("button", { name: "Classified spans" }).tap();
    const spans = page.getByRole("dialog", { name: "Classified content" });
    await expect(spans.getByRole("listitem")).toHaveCount(2);
    await expectFit(page);
    await spans.getByRole("button", { name: /^Wilhelmine/ }).tap();
    await expect(spans).toBeHidden();
  });

  await test.step("looks at it as an eavesdropper would", async () => {
    await tools.getByRole("button", { name: "What an eavesdropper sees" }).tap();
    const eavesdropped = page.getByRole("region", { name: "What an eavesdropper sees" });
    await expect(eavesdropped).toHaveText("Berth 3 opens on the sixth of . The pilot is .");
    await expect(editorOf(page)).toBeHidden();
    await expectFit(page);
    await tools.getByRole("button", { name: "What an eavesdropper sees" }).tap();
    await expect(editorOf(page)).toBeVisible();
  });

  await test.step("sends", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).tap();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).tap();
    await onEachPhone(page, () => expectNoSidewaysScroll(page));
    await dialog.getByRole("button", { name: "Send", exact: true }).tap();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await expectFit(page);
  });

  await test.step("and it is read", async () => {
    const reader = await open(bruno);
    await reader.getByRole("link", { name: `Unread: ${LONG}` }).tap();
    const document = reader.getByRole("article", { name: LONG });
    await expect(document).toHaveText("Berth 3 opens on the sixth of October. The pilot is Wilhelmine.");
    const parts = reader.getByRole("group", { name: "Classified parts" });
    await parts.getByRole("button", { name: "Next classified part" }).tap();
    await expect(parts).toContainText("1 of 2 classified");
    await expectFit(reader);
    await reader.getByText("Details, downloads and receipt").tap();
    await reader.getByRole("button", { name: "Verify" }).tap();
    await expect(reader.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
    await expectFit(reader);
  });
});

test("every page of authors and recipients fits", async ({ people, open }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  await sendBerths(anna, bruno, rosa);
  await makeDraft(anna, LONG, "Plain.\n");
  const page = await open(anna);
  await expect(page.getByRole("link", { name: LONG })).toBeVisible();
  await expectFit(page);
  await main(page).getByRole("link", { name: "Sent" }).tap();
  await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();
  await expectFit(page);
  await page.goto("/account");
  await expect(page.getByRole("heading", { name: anna.displayName })).toBeVisible();
  await expectFit(page);
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expectFit(page);

  const rosas = await open(rosa);
  await expect(rosas.getByRole("link", { name: "berths.txt" })).toBeVisible();
  await expectFit(rosas);
  await rosas.getByRole("link", { name: "berths.txt" }).tap();
  await expect(rosas.getByRole("article", { name: "berths.txt" })).toBeVisible();
  await expect(rosas.getByText(SECRETS[0] ?? "")).toHaveCount(0);
  await expectFit(rosas);
});

test("people and peers can be managed", async ({ people, open, pair }) => {
  const roles = { is_author: true, is_recipient: true, is_admin: true, cleared: true } as const;
  const long = await addPersonNamed(pair.alpha, `long-${"n".repeat(30)}`, LONG, roles);
  const page = await open(await people.admin());

  await test.step("people", async () => {
    await expect(page.getByRole("row", { name: new RegExp(long.name) })).toBeVisible();
    await expectFit(page);
    // Alone in the list: with others above it, chance decides what its menu covers.
    await page.getByRole("textbox", { name: "Search people" }).fill(long.name);
    await expect(page.getByRole("rowheader")).toHaveCount(1);
    const actions = page.getByRole("button", { name: `Actions for ${LONG}` });
    await onEachPhone(page, async (theme) => {
      await actions.tap();
      await expect(page.getByRole("menu")).toBeVisible();
      await expectFitIn(page, theme);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toBeHidden();
    });
    await actions.tap();
    await page.getByRole("menuitem", { name: "Change roles and clearance" }).tap();
    await expect(page.getByRole("dialog", { name: LONG })).toBeVisible();
    await expectFit(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New person" }).tap();
    await expect(page.getByRole("dialog", { name: "New person" })).toBeVisible();
    await expectFit(page);
    await page.keyboard.press("Escape");
  });

  await test.step("peers", async () => {
    await main(page).getByRole("link", { name: "Peers" }).tap();
    await expect(page.getByRole("article", { name: "bravo" })).toBeVisible();
    await expectFit(page);
    await page.getByRole("button", { name: "Pair with a gateway" }).tap();
    await expect(page.getByLabel("Our invitation")).toBeVisible();
    await expectFit(page);
    await page.keyboard.press("Escape");
  });

  await test.step("the way around of who does everything", async () => {
    const longs = await open(long);
    await expect(longs).toHaveURL(/\/documents$/);
    await onEachPhone(longs, async (theme) => {
      await main(longs).getByRole("button", { name: "Admin" }).tap();
      await expect(longs.getByRole("menuitem", { name: "Settings" })).toBeVisible();
      await expectFitIn(longs, theme);
      await longs.keyboard.press("Escape");
      await expect(longs.getByRole("menu")).toBeHidden();
    });
  });
});

test("the pages of transfers, storage and settings fit", async ({ people, open }) => {
  const [ada, anna, bruno] = await Promise.all([people.admin(), people.author(), people.cleared()]);
  await sendBerths(anna, bruno);
  const page = await open(ada);

  await test.step("transfers", async () => {
    await main(page).getByRole("link", { name: "Transfers" }).tap();
    const link = page
      .getByRole("row", { name: new RegExp(anna.displayName) })
      .getByRole("link", { name: "berths.txt" });
    await expect(link).toBeVisible();
    await expectFit(page);
    await link.tap();
    await expect(page.getByRole("table", { name: "Where the time went" })).toBeVisible();
    await expectFit(page);
  });

  await test.step("what was received", async () => {
    await main(page).getByRole("link", { name: "Transfers" }).tap();
    await page.getByRole("button", { name: "Received" }).tap();
    const received = page.getByRole("table", { name: "Received documents" });
    await expect(received.or(page.getByText("Nothing received yet"))).toBeVisible();
    await expectFit(page);
  });

  await test.step("storage", async () => {
    await main(page).getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Storage" }).tap();
    await expect(page.getByRole("row", { name: /SIEVE_DELETED_DAYS/ })).toBeVisible();
    await expectFit(page);
  });

  await test.step("settings", async () => {
    await main(page).getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Settings" }).tap();
    await expect(page.getByRole("row", { name: /SIEVE_PLAIN_URL/ })).toBeVisible();
    await expectFit(page);
  });
});
