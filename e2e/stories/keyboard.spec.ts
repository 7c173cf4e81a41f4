/**
 * A document from its first word to its verified receipt by the keyboard alone. After each step the focus is on
 * something that is in view and not covered, and what is worked with shows by a ring, or by its cursor, that it has it.
 */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { expect, test } from "../fixtures/test.ts";

/** So many times Tab is pressed at most on the way to something. */
const MOST_TABS = 30;

/** What is wrong with the focus, if it is not where people see it. */
async function faultOfFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body) return "nothing has the focus";
    const name = `<${focused.localName} ${focused.getAttribute("aria-label") ?? focused.textContent?.slice(0, 40) ?? ""}>`;
    // In a text, what counts is where one writes.
    const range = focused.isContentEditable ? getSelection()?.getRangeAt(0) : null;
    const boxes = range ? [...range.getClientRects()] : [];
    const box = boxes[0] ?? focused.getBoundingClientRect();
    if (!range && (box.width === 0 || box.height === 0)) return `${name} has no size`;
    if (box.bottom <= 0 || box.right <= 0 || box.top >= innerHeight || box.left >= innerWidth)
      return `${name} is outside of the window`;
    const middle = [(box.left + box.right) / 2, Math.min((box.top + box.bottom) / 2, innerHeight - 1)] as const;
    const there = document.elementFromPoint(...middle);
    if (!there || !(focused.contains(there) || there.contains(focused))) return `${name} is covered by something else`;
    if (focused.isContentEditable || focused.matches("h1, main")) return null;
    const rings = [getComputedStyle(focused), getComputedStyle(focused, "::after")];
    for (let around = focused.parentElement; around?.matches(":focus-within"); around = around.parentElement)
      if (around.localName !== "html" && around.localName !== "body") rings.push(getComputedStyle(around));
    const ringed = rings.some(
      ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
    );
    // The items of a menu or a list are lit instead.
    return ringed || focused.matches("[data-highlighted]") ? null : `${name} has no ring`;
  });
}

async function expectFocusSeen(page: Page): Promise<void> {
  await expect.poll(() => faultOfFocus(page), "the focus is seen").toBeNull();
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
    await expectFocusSeen(page);
  }
}

async function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluateAll((found) => found.some((one) => one.contains(document.activeElement)));
}

/** Goes on by Tab, or back, until this has the focus. */
async function goTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await expect(target).toBeVisible();
  for (let tabs = 0; tabs < MOST_TABS && !(await hasFocus(target)); tabs++) await press(page, key);
  expect(await hasFocus(target), `${target} is reached by ${key}`).toBe(true);
}

/** Back to the toolbar, which is one stop on the way, and by arrows to the tool. */
async function goToTool(page: Page, name: string): Promise<void> {
  const tools = page.getByRole("toolbar", { name: "Text tools" });
  await goTo(page, tools, "Shift+Tab");
  const tool = tools.getByRole("button", { name });
  for (let steps = 0; steps < MOST_TABS && !(await hasFocus(tool)); steps++) await press(page, "ArrowRight");
  await expect(tool).toBeFocused();
}

async function signIn(page: Page, { name, password }: Person): Promise<void> {
  await expect(page.getByLabel("Login")).toBeFocused();
  await expectFocusSeen(page);
  await page.keyboard.type(name);
  await goTo(page, page.getByLabel("Password", { exact: true }));
  await page.keyboard.type(password);
  await press(page, "Enter");
}

test("an author works with the keyboard alone, from the first word to the verified receipt", async ({
  people,
  pair,
  visit,
}) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await visit(pair.alpha, "/documents");
  const text = page.getByRole("textbox", { name: "Text of the document" });
  const tools = page.getByRole("toolbar", { name: "Text tools" });

  await test.step("signing in, and a new document", async () => {
    await signIn(page, anna);
    await expect(page.getByRole("heading", { name: "Documents", level: 1 })).toBeVisible();
    await expectFocusSeen(page);
    await goTo(page, page.getByRole("button", { name: "New document" }));
    await press(page, "Enter");
    await expect(page.getByRole("dialog", { name: "New document" }).getByLabel("Name")).toBeFocused();
    await page.keyboard.type("berths.txt");
    await press(page, "Enter");
    await expect(text).toBeFocused();
    await expectFocusSeen(page);
  });

  await test.step("writing, and marking by the shortcut", async () => {
    await page.keyboard.type("Berth 3 opens on the sixth of October.");
    await press(page, "Enter");
    await page.keyboard.type("The pilot is Ida");
    await press(page, "Control+Shift+ArrowLeft", "Control+Shift+S");
    await expect(text.locator("mark")).toHaveText(["Ida"]);
  });

  await test.step("marking by the toolbar", async () => {
    await press(page, "Control+Home", "End", "ArrowLeft");
    for (let words = 0; words < 4; words++) await press(page, "Control+Shift+ArrowLeft");
    await goToTool(page, "Mark");
    await press(page, "Enter");
    await expect(text.locator("mark")).toHaveText(["the sixth of October", "Ida"]);
    await expect(tools.getByRole("button", { name: "Unmark" })).toBeVisible();
    await goToTool(page, "Undo");
    await press(page, "Enter");
    await expect(text.locator("mark")).toHaveText(["Ida"]);
    await expectFocusSeen(page);
    await goToTool(page, "Redo");
    await press(page, "Enter");
    await expect(text.locator("mark")).toHaveText(["the sixth of October", "Ida"]);
  });

  await test.step("the list of spans", async () => {
    await goTo(page, text);
    const list = page.getByRole("list", { name: "Classified spans" });
    await goTo(page, list.getByRole("button", { name: /^the sixth of October/ }));
    await press(page, "ArrowDown");
    await expect(list.getByRole("button", { name: /^Ida/ })).toBeFocused();
    await press(page, "Enter");
    await expect(text).toBeFocused();
    await expect(page.getByText("3 characters selected")).toBeVisible();
    await expectFocusSeen(page);
  });

  await test.step("what an eavesdropper sees", async () => {
    await goToTool(page, "What an eavesdropper sees");
    await press(page, "Enter");
    const plain = page.getByRole("region", { name: "What an eavesdropper sees" });
    await goTo(page, plain);
    await expect(plain).toContainText("Berth 3 opens on .");
    await expect(plain).not.toContainText("October");
    await expectAccessible(page);
  });

  await test.step("sending", async () => {
    await goTo(page, page.getByRole("button", { name: "Send", exact: true }), "Shift+Tab");
    await press(page, "Enter");
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    const recipients = dialog.getByRole("combobox", { name: "Recipients" });
    await goTo(page, recipients);
    await page.keyboard.type(bruno.name);
    await expect(page.getByRole("option")).toHaveCount(1);
    // Enter takes the one that is lit, which is soon after it is found.
    await expect(page.getByRole("option", { name: bruno.displayName })).toHaveAttribute("data-highlighted");
    await press(page, "Enter");
    await expect(dialog.getByLabel(bruno.displayName, { exact: true })).toBeVisible();
    await goTo(page, dialog.getByRole("button", { name: "Send", exact: true }));
    await press(page, "Enter");
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await expect(page.getByRole("heading", { name: "berths.txt" })).toBeFocused();
    await expectFocusSeen(page);
    await goTo(page, page.getByRole("button", { name: "Verify" }));
    await expectAccessible(page);
  });

  await test.step("reading, and verifying", async () => {
    const brunos = await visit(pair.bravo, "/inbox");
    await signIn(brunos, bruno);
    await expect(brunos.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
    await expectFocusSeen(brunos);
    await goTo(brunos, brunos.getByRole("link", { name: "Unread: berths.txt" }));
    await press(brunos, "Enter");
    await expect(brunos.getByRole("heading", { name: "berths.txt", level: 1 })).toBeFocused();
    await goTo(brunos, brunos.getByRole("button", { name: "Next classified part" }));
    const parts = brunos.getByRole("group", { name: "Classified parts" });
    const document = brunos.getByRole("article", { name: "berths.txt" });
    for (const [count, secret] of [
      ["1 of 2", "the sixth of October"],
      ["2 of 2", "Ida"],
    ] as const) {
      await press(brunos, "Enter");
      await expect(parts).toContainText(`${count} classified`);
      await expect(document.getByText(secret, { exact: true })).toBeInViewport();
    }
    await goTo(brunos, brunos.getByRole("button", { name: "Verify" }), "Shift+Tab");
    await press(brunos, "Enter");
    await expect(brunos.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
    await expectFocusSeen(brunos);
    await expectAccessible(brunos);
  });
});
