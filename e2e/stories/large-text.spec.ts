/** A text that is too long for pages is written, marked and sent all the same, and arrives to the byte. */
import type { Page } from "@playwright/test";
import type { Gateway } from "../fixtures/gateways.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { delivered, makeDraft } from "../fixtures/seed.ts";
import { boxOf, tapText } from "../fixtures/selecting.ts";
import { expect as expectSoon, test } from "../fixtures/test.ts";
import { fingerDown } from "../fixtures/touch-drag.ts";

/** Saves, policies and leak checks read 2 MB and 15,000 spans: a quarter of a minute on a busy machine. */
const expect = expectSoon.configure({ timeout: 60_000 });
const BOTH = ["light", "dark"] as const;
const LINE = "Berth 12 is free until noon; the pilot is J. Doe.\r\n";
const NEXT = "Of this hour nothing else is to be said, for whatever the harbour master saw is in his own book.\r\n";
const LINES = 15_000;
const LAST = "Her brother, Wilhelm Doe, has berth 14.\r\n";

const textOf = (page: Page) => page.getByRole("textbox", { name: "Text of the document" });
const spansOf = (page: Page) => page.locator("[data-marks]");
const marksOf = (page: Page) => textOf(page).locator("mark");
const listOf = (page: Page) => page.getByRole("list", { name: "Classified spans" });
/** Under the start and the end of the span that the cursor is in. */
const handlesOf = (page: Page) => page.locator(".edge-handle:not([hidden])");
const gainedIn = (page: Page) => textOf(page).locator(".edge-gained");
/** What screen readers announced last. */
const saidIn = (page: Page) => page.locator(".sr-only[aria-live=polite]");

/** A policy that finds each line's berth; its title. */
async function makePolicy(at: Gateway, name: string): Promise<string> {
  const title = `Berths ${name}`;
  const rules = [{ kind: "regex", pattern: "\\bBerth \\d+\\b", reason: "A berth" }];
  await at.admin("POST", "/policies", { json: { name: `berths-${name}`, title, rules } });
  return title;
}

test("found, marked by hand and by a policy, looked through for leaks, looked at as an eavesdropper, sent", async ({
  people,
  open,
  pair,
}) => {
  test.slow();
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const title = await makePolicy(pair.alpha, anna.name);
  const { id } = await makeDraft(anna, "log of the harbour.txt", (LINE + NEXT).repeat(LINES) + LAST);
  const page = await open(anna, `/documents/${id}`);
  const { keyboard } = page;
  await expect(textOf(page)).toContainText("Berth 12 is free");

  await test.step("all places of a name, in one step", async () => {
    await textOf(page).click();
    await keyboard.press("Control+f");
    await expect(page.getByRole("textbox", { name: "Find in the document" })).toBeFocused();
    await keyboard.type("j. doe");
    await expect(page.getByRole("search").getByRole("status")).toHaveText(/of 15,000$/);
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Mark all 15,000" }).click();
    await keyboard.press("Escape");
    await expect(spansOf(page)).toHaveText("15,000");
  });

  await test.step("text at the end of a span is classified, and undo takes it back", async () => {
    await keyboard.press("Control+Home");
    await keyboard.press("F8");
    await expect(page.getByText("Typing here is classified")).toBeVisible();
    await keyboard.press("ArrowRight");
    await keyboard.type(" Jr?");
    await expect(textOf(page).locator("mark").first()).toHaveText("J. Doe Jr?");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await keyboard.press("Control+z");
    await expect(textOf(page).locator("mark").first()).toHaveText("J. Doe");
  });

  await test.step("buttons at the selection mark it, alone or with its other places", async () => {
    const { left, right, middle } = await boxOf(textOf(page), "noon");
    await page.mouse.dblclick((left + right) / 2, middle);
    const bubble = page.getByRole("group", { name: "The selection" });
    await expect(bubble.getByRole("button", { name: "Also mark 14,999 others" })).toBeVisible();
    await bubble.getByRole("button", { name: "Mark", exact: true }).click();
    await expect(spansOf(page)).toHaveText("15,001");
    await expect(bubble.getByRole("button", { name: "Unmark" })).toBeVisible();
    await keyboard.press("Control+z");
    await expect(spansOf(page)).toHaveText("15,000");
  });

  await test.step("text before a span left by an arrow key, or where one was deleted, is classified until a click", async () => {
    const typesClassified = page.getByText("Typing here is classified");
    const firstLine = textOf(page).locator(".cm-line").first();
    await keyboard.press("Control+Home");
    await expect(typesClassified).toBeHidden();
    await keyboard.press("F8");
    await keyboard.press("ArrowLeft");
    await expect(typesClassified).toBeVisible();
    await keyboard.type("X");
    await expect(marksOf(page).first()).toHaveText("XJ. Doe");

    await keyboard.press("ArrowLeft");
    await keyboard.press("F8");
    await keyboard.press("Delete");
    await expect(spansOf(page)).toHaveText("14,999");
    await expect(typesClassified).toBeVisible();
    const devtools = await page.context().newCDPSession(page);
    for (const text of ["k", "ka", "か"])
      await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await devtools.send("Input.insertText", { text: "か" });
    await expect(marksOf(page).first()).toHaveText("か");
    await keyboard.press("Backspace");
    await expect(spansOf(page)).toHaveText("14,999");
    await keyboard.type("Y");
    await expect(marksOf(page).first()).toHaveText("Y");

    await keyboard.press("ArrowLeft");
    await expect(typesClassified).toBeVisible();
    const { left, middle } = await boxOf(marksOf(page).first(), "Y");
    await page.mouse.click(left + 1, middle);
    await expect(typesClassified).toBeHidden();
    await keyboard.type("z");
    const changed = LINE.replace("J. Doe", "z<$$S>Y<$$E>");
    const stored = async () => (await anna.text(`/drafts/${id}/content?edition=marked`)).slice(0, changed.length);
    await expect.poll(stored, { timeout: 60_000 }).toBe(changed);
    expect(await anna.text(`/drafts/${id}/plain`)).toMatch(/^Berth 12 is free until noon; the pilot is z\.\r\n/);
    await expect(async () => {
      await keyboard.press("Control+z");
      await expect(firstLine).toHaveText(LINE.trimEnd(), { timeout: 500 });
    }).toPass();
    await expect(spansOf(page)).toHaveText("15,000");
    await expect(marksOf(page).first()).toHaveText("J. Doe");
  });

  await test.step("a line end is one character, and stays what it is", async () => {
    const at = (line: string) => expect(page.getByText(new RegExp(`^Line ${line} of`))).toBeVisible();
    await keyboard.press("Control+Home");
    await keyboard.press("End");
    await keyboard.type(" X");
    for (const key of ["Backspace", "Backspace", "End", "Delete", "Enter"]) await keyboard.press(key);
    await at("2");
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowLeft"]) await keyboard.press(key);
    await at("1");
    await keyboard.press("ArrowRight");
    await keyboard.press("Backspace");
    await at("1");
    await keyboard.press("Enter");
    await at("2");
  });

  await test.step("what was forgotten is found, shown and marked; or left, with a reason", async () => {
    const findings = page.getByRole("region", { name: "Findings" });
    const found = findings.getByRole("button", { name: /^“Doe” is part of the marked/ });
    // By itself, some time after all is saved: it rests as long as the last look took.
    await expect(found).toBeVisible();
    await expectAccessible(page);
    await findings.getByRole("button", { name: /^Leave .*“Doe”/ }).click();
    await findings.getByLabel(/^Why this can stay plain/).fill("everybody knows him");
    await keyboard.press("Enter");
    await expect(findings).toContainText("You left 1 finding as it is.");
    await findings.getByRole("button", { name: "Show again" }).click();
    await found.click();
    await expect(textOf(page)).toBeFocused();
    await expect(page.getByText(/^Line 30,001 of/)).toBeVisible();
    await findings.getByRole("button", { name: /^Mark .*“Doe”/ }).click();
    await expect(marksOf(page).last()).toHaveText("Doe");
    await expect(found).toBeHidden();
  });

  await test.step("by a policy: hits are accepted and rejected, and the accepted marked in one step", async () => {
    const panel = page.getByRole("region", { name: "Mark by a policy" });
    await page.getByRole("button", { name: "Policies" }).click();
    await panel.getByRole("combobox", { name: "Policy" }).click();
    await page.getByRole("option", { name: title }).click();
    await expect(panel.getByText("10,000 hits", { exact: true })).toBeVisible();
    await expect(panel.getByText("Only the first 10,000 hits are listed.")).toBeVisible();
    const first = panel
      .getByRole("list", { name: "Hits" })
      .getByRole("button", { name: /Berth 12.*Rule 1 · A berth/ })
      .first();
    await first.focus();
    await keyboard.press("a");
    await keyboard.press("r");
    await expect(panel.getByText("10,000 hits, 1 accepted, 1 rejected")).toBeVisible();
    await expect(textOf(page).locator(".found-place[data-current]")).toBeVisible();
    await panel.getByRole("button", { name: "Mark 1 accepted hit" }).click();
    await expect(marksOf(page).first()).toHaveText("Berth 12");
    await expect(panel.getByText("9,999 hits, 1 rejected")).toBeVisible();
    await expect(panel.getByText(/^1 more is already marked/)).toBeVisible();
    await keyboard.press("Escape");
    await keyboard.press("Control+z");
    await expect(spansOf(page)).toHaveText("15,001");
  });

  await test.step("the list leads to a span, whose edges move by key and by mouse, and unmarks another", async () => {
    await expect(listOf(page).getByRole("listitem").first()).toHaveAttribute("aria-setsize", "15001");
    await listOf(page).getByRole("button").first().focus();
    await keyboard.press("End");
    await expect(listOf(page).getByRole("button", { name: /^Doe/ })).toBeFocused();
    await keyboard.press("Enter");
    await expect(textOf(page)).toBeFocused();
    await keyboard.press("ArrowLeft");
    await keyboard.press("Control+Shift+.");
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");
    await keyboard.press("Shift+F9");
    await expect(marksOf(page).last()).toHaveText("ilhelm Doe");
    await expect(page.getByRole("status").getByText("The span now has 10 characters")).toBeAttached();
    await keyboard.press("F9");
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");

    // By key where a selection is, and back by its button.
    const tools = page.getByRole("toolbar", { name: "Text tools" });
    const toSelection = tools.getByRole("button", { name: "Move edges here" });
    await expect(toSelection).toBeDisabled();
    await keyboard.press("Control+Shift+ArrowRight");
    await keyboard.press("Control+F9");
    await expect(marksOf(page).last()).toHaveText("Wilhelm");
    await expect(toSelection).toBeDisabled();
    await keyboard.press("Control+z");
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");
    await toSelection.click();
    await expect(marksOf(page).last()).toHaveText("Wilhelm");
    await expect(saidIn(page)).toContainText("The span now has 7 characters");
    await expect(textOf(page)).toBeFocused();
    await keyboard.press("Control+z");
    await keyboard.press("ArrowLeft");
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");

    // Nothing changes before it is let go, Escape gives up, and it is one step to undo.
    const { mouse } = page;
    const further = (await boxOf(textOf(page), ", has")).right - (await boxOf(marksOf(page).last(), "Doe")).right;
    await expect(handlesOf(page)).toHaveCount(2);
    await expectAccessible(page);
    const box = await handlesOf(page).last().boundingBox();
    if (!box) throw new Error("the handle is not drawn");
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
    const drag = async () => {
      await mouse.move(box.x + 8, box.y + 8);
      await mouse.down();
      await mouse.move(box.x + 8 + further / 2, box.y + 8);
      await mouse.move(box.x + 8 + further, box.y + 8);
      await expect(gainedIn(page)).toHaveText(", has");
    };
    await drag();
    await keyboard.press("Escape");
    await expect(gainedIn(page)).toHaveCount(0);
    await mouse.up();
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");
    await drag();
    await mouse.up();
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe, has");
    await expect(saidIn(page)).toContainText("The span now has 16 characters");
    await expect(textOf(page)).toBeFocused();
    await keyboard.press("Control+z");
    await expect(marksOf(page).last()).toHaveText("Wilhelm Doe");
    await expect(spansOf(page)).toHaveText("15,001");
    await listOf(page)
      .getByRole("button", { name: /^Unmark “J\. Doe”/ })
      .first()
      .click();
    await expect(spansOf(page)).toHaveText("15,000");
    await textOf(page).click();
    await keyboard.press("Control+z");
    await expect(spansOf(page)).toHaveText("15,001");
  });

  await test.step("the eavesdropper sees neither the name nor its length", async () => {
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
    await expect(textOf(page)).not.toContainText("J. Doe");
    await expect(textOf(page).getByRole("img", { name: "withheld" }).first()).toBeVisible();
    await expectAccessible(page, BOTH);
    await textOf(page).focus();
    for (const key of ["Control+a", "Backspace", "Control+z"]) await keyboard.press(key);
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  });

  await test.step("it arrives to the byte", async () => {
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    const draft = await anna.api<{ document_id: string; classified_bytes: number }>("GET", `/drafts/${id}`);
    expect(draft.classified_bytes).toBe("J. Doe".length * LINES + "Wilhelm Doe".length);
    const json = { document_id: draft.document_id, peer: bruno.gateway.name, recipients: [bruno.name] };
    const { id: transfer } = await anna.api<{ id: string }>("POST", "/transfers", { json });
    await delivered(anna, transfer);
    const marked = await bruno.text(`/inbox/${transfer}/content?edition=marked`);
    const [line, last] = [LINE.replace("J. Doe", "<$$S>J. Doe<$$E>"), LAST.replace(/Wilhelm Doe/, "<$$S>$&<$$E>")];
    expect(marked).toBe((line + NEXT).repeat(LINES) + last);
  });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("it is marked, too", async ({ people, open, pair }) => {
    const anna = await people.author();
    const title = await makePolicy(pair.alpha, anna.name);
    const { id } = await makeDraft(anna, "log.txt", (LINE + NEXT).repeat(LINES));
    const page = await open(anna, `/documents/${id}`);
    await expect(textOf(page)).toContainText("Berth 12 is free");
    await textOf(page)
      .getByText("Berth")
      .first()
      .click({ position: { x: 30, y: 14 } });
    await page.getByRole("button", { name: "Mark as classified" }).click();
    await expect(marksOf(page)).toHaveCount(1);
    await page.getByRole("button", { name: "Classified spans" }).click();
    await expect(listOf(page).getByRole("listitem")).toHaveCount(1);
    await listOf(page).getByRole("button").first().click();
    await expect(textOf(page)).toBeFocused();

    await test.step("an edge is dragged by a finger, also past the foot of what is seen", async () => {
      // A tap into a selection leaves it.
      await tapText(textOf(page), "12 is free");
      await tapText(marksOf(page), "Berth");
      await expect(handlesOf(page)).toHaveCount(2);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      const sheet = page.locator(".cm-scroller");
      const [box, seen] = [await handlesOf(page).last().boundingBox(), await sheet.boundingBox()];
      if (!box || !seen) throw new Error("the handle is not drawn");
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
      const finger = await fingerDown(page, box.x + 10, box.y + 20);
      await finger.to(box.x + 20, box.y + 20);
      await finger.to(box.x + 60, box.y + 20);
      await expect(gainedIn(page)).toHaveText(/^ 12/);
      await finger.to(box.x + 60, seen.y + seen.height + 30);
      await expect.poll(() => sheet.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(200);
      await finger.up();
      await expect(gainedIn(page)).toHaveCount(0);
      await expect(saidIn(page)).toContainText(/The span now has [\d,]{3,} characters/);
      await page.getByRole("button", { name: "Undo" }).tap();
      await expect(marksOf(page)).toHaveText(["Berth"]);
    });

    await page.getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Mark by a policy" }).tap();
    await page.getByRole("combobox", { name: "Policy" }).tap();
    await page.getByRole("option", { name: title }).tap();
    await expect(textOf(page).locator(".found-place[data-current]").first()).toBeInViewport({ ratio: 0.9 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});
