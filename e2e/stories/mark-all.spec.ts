/** Marking all places of a phrase, some of them, and none; and what was forgotten is found before it is sent. */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { boxOf, selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXT = [
  "The survey ship Heron leaves at dawn. Her master is Ida Berg.",
  "Nobody but Ida",
  "Berg knows where HERON goes; the herons of the harbour do not.",
  "Ask I. Berg, or the pilot of the heron.",
  "",
].join("\n");

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });
const marksOf = (page: Page): Locator => page.locator(".editor-text mark");
const findOf = (page: Page): Locator => page.getByRole("search", { name: "Find and mark" });
/** What screen readers announced last. */
const saidIn = (page: Page): Locator => page.locator(".sr-only[aria-live=polite]");

test("by the keyboard alone: found, chosen, marked in one step, undone, unmarked", async ({ people, open }) => {
  const anna = await people.author();
  const { id } = await makeDraft(anna, "heron.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const { keyboard } = page;
  await editorOf(page).focus();
  const find = findOf(page);
  const field = find.getByRole("textbox", { name: "Find in the document" });
  const places = find.getByRole("list", { name: "Places" });

  await test.step("finds in any case, also across a line's end", async () => {
    await keyboard.press("Control+f");
    await expect(field).toBeFocused();
    await keyboard.type("ida berg");
    await expect(find.getByRole("status")).toHaveText("1 of 2");
    await keyboard.press("Control+a");
    await keyboard.type("heron");
    // From where one was, on.
    await expect(find.getByRole("status")).toHaveText("2 of 4");
    await expect(editorOf(page).locator(".found-place")).toHaveCount(4);
    await keyboard.press("Enter");
    await expect(find.getByRole("status")).toHaveText("3 of 4");
    await keyboard.press("Shift+Enter");
    await keyboard.press("Shift+F3");
    await expect(find.getByRole("status")).toHaveText("1 of 4");
    await expect(editorOf(page).locator(".found-place[data-current]")).toHaveText("Heron");
    await expectAccessible(page, BOTH);
  });

  await test.step("spares one, and marks the others in one step", async () => {
    const third = places.getByRole("checkbox", { name: "Place 3" });
    await expect(places.getByRole("checkbox")).toHaveCount(4);
    for (let tabs = 0; tabs < 12; tabs++) {
      if (
        await places
          .getByRole("checkbox")
          .first()
          .evaluate((box) => box === document.activeElement)
      )
        break;
      await keyboard.press("Tab");
    }
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await expect(third).toBeFocused();
    await keyboard.press("Space");
    await expect(third).not.toBeChecked();
    await expect(find.getByText("3 of 4 chosen")).toBeVisible();
    const mark = find.getByRole("button", { name: "Mark 3", exact: true });
    for (let tabs = 0; tabs < 6 && !(await mark.evaluate((one) => one === document.activeElement)); tabs++)
      await keyboard.press("Tab");
    await keyboard.press("Enter");
    await expect(marksOf(page)).toHaveText(["Heron", "HERON", "heron"]);
    await expect(saidIn(page)).toContainText("Marked: 3 places");
    await expect(field).toBeFocused();
    await expectAccessible(page);
  });

  await test.step("undoes that as one step, redoes it, and unmarks", async () => {
    await keyboard.press("Escape");
    await expect(editorOf(page)).toBeFocused();
    await keyboard.press("Control+z");
    await expect(marksOf(page)).toHaveCount(0);
    await keyboard.press("Control+y");
    await expect(marksOf(page)).toHaveCount(3);
    await keyboard.press("Control+f");
    await expect(field).toBeFocused();
    const unmark = find.getByRole("button", { name: "Unmark all 3" });
    await expect(unmark).toBeVisible();
    for (let tabs = 0; tabs < 14 && !(await unmark.evaluate((one) => one === document.activeElement)); tabs++)
      await keyboard.press("Tab");
    await keyboard.press("Enter");
    await expect(marksOf(page)).toHaveCount(0);
    await expect(saidIn(page)).toContainText("Unmarked: 3 places");
    await keyboard.press("Escape");
  });

  await test.step("moves an edge of a span, by words and by characters", async () => {
    // Right after it got the focus, the editor may put the cursor back to where it was.
    await expect(async () => {
      await keyboard.press("Control+Home");
      await expect(page.getByText("Line 1, column 1")).toBeVisible({ timeout: 1000 });
    }).toPass();
    await keyboard.press("Control+Shift+S");
    await expect(marksOf(page)).toHaveText(["The"]);
    await keyboard.press("End");
    await keyboard.press("F8");
    await keyboard.press("Control+Shift+>");
    await expect(marksOf(page)).toHaveText(["The survey"]);
    await keyboard.press("F9");
    await expect(marksOf(page)).toHaveText(["The survey "]);
    await keyboard.press("Control+Shift+<");
    await keyboard.press("Control+Shift+<");
    await expect(marksOf(page)).toHaveText(["The"]);
  });

  await test.step("and the help lists all keys", async () => {
    await keyboard.press("Control+/");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(help.getByText("Ctrl+F", { exact: true })).toBeVisible();
    await expectAccessible(page, BOTH);
    await keyboard.press("Escape");
  });
});

test("what is marked here and unmarked there is shown, mended, left, and asked about", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "survey.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const findings = page.getByRole("region", { name: "Findings" });
  const count = findings.locator("[data-findings]");
  await expect(editorOf(page)).toContainText("survey ship");
  await expect(findings).toContainText("No leaks found.");

  await test.step("a selection is marked, and its others with it", async () => {
    await selectByMouse(editorOf(page), "Ida Berg");
    const bubble = page.getByRole("group", { name: "The selection" });
    await expect(bubble.getByRole("button", { name: "Also mark 1 other" })).toBeVisible();
    await expectAccessible(page, BOTH);
    await bubble.getByRole("button", { name: "Also mark 1 other" }).click();
    await expect(marksOf(page)).toHaveText(["Ida Berg", "Ida", "Berg"]);
  });

  await test.step("the initial and the surname are a form of a marked name", async () => {
    await expect(findings).toContainText("“I. Berg” is part of the marked “Ida Berg”");
    await findings.getByRole("button", { name: /^Mark .*“I. Berg”/ }).click();
    await expect(count).toHaveText("0");
    await expect(marksOf(page)).toHaveText(["Ida Berg", "Ida", "Berg", "I. Berg"]);
  });

  await test.step("one is marked, and the others are found", async () => {
    await selectByMouse(editorOf(page), "Heron");
    await page.keyboard.press("Control+Shift+S");
    await expect(count).toHaveText("3");
    await expectAccessible(page, BOTH);
    await findings.getByRole("button", { name: /^“HERON” is the marked/ }).click();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("HERON");
    await findings.getByRole("button", { name: /^Mark this one/ }).click();
    await expect(count).toHaveText("2");
    await expect(marksOf(page)).toHaveText(["Heron", "Ida Berg", "Ida", "Berg", "HERON", "I. Berg"]);
    await page.keyboard.press("Control+F8");
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("herons");
  });

  await test.step("they are left, shown again, and mended", async () => {
    await findings.getByRole("button", { name: /^Leave/ }).click();
    await expect(findings.getByLabel(/^Why this can stay plain/)).toBeFocused();
    await expectAccessible(page, BOTH);
    await page.keyboard.type("These are birds");
    await page.keyboard.press("Enter");
    await expect(count).toHaveText("0");
    await expect(findings).toContainText("You left 2 findings as they are.");
    await findings.getByRole("button", { name: "Show again" }).click();
    await findings.getByRole("button", { name: /^Mark all 2/ }).click();
    // First, because the announcement disappears after seconds.
    await expect(saidIn(page)).toContainText("Marked: 2 places");
    await expect(count).toHaveText("0");
    const all = ["Heron", "Ida Berg", "Ida", "Berg", "HERON", "herons", "I. Berg", "heron"];
    await expect(marksOf(page)).toHaveText(all);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(count).toHaveText("2");
    await page.getByRole("button", { name: "Redo" }).click();
    await expect(count).toHaveText("0");
  });

  await test.step("and what is sent lacks all of them", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).click();
    await expect(dialog.getByText("in the plain part")).toBeHidden();
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    expect(await anna.text(`/drafts/${id}/plain`)).not.toMatch(/heron|ida/i);
  });
});

test("the edges of a span are moved to where a selection is, and dragged by their handles", async ({
  people,
  open,
}) => {
  const anna = await people.author();
  const { id } = await makeDraft(anna, "edges.txt", "The pilot <$S>is Ida<$E> Berg of Alpha.\n");
  const page = await open(anna, `/documents/${id}`);
  // From the span out, because its text is in two runs.
  await selectByMouse(marksOf(page), "Ida");
  await page.getByRole("group", { name: "The selection" }).getByRole("button", { name: "Move edges here" }).click();
  await expect(marksOf(page)).toHaveText(["Ida"]);
  await page.keyboard.press("Control+z");
  await expect(marksOf(page)).toHaveText(["is Ida"]);

  await test.step("a handle shows what it would come to, gives up at Escape, and is one step to undo", async () => {
    const { mouse, keyboard } = page;
    const sheet = editorOf(page);
    const right = (await boxOf(sheet, "Berg of")).right - (await boxOf(marksOf(page), "Ida")).right;
    await marksOf(page).click();
    const handles = page.locator(".edge-handle");
    await expect(handles).toHaveCount(2);
    await expectAccessible(page, BOTH);
    const box = await handles.last().boundingBox();
    if (!box) throw new Error("the handle is not drawn");
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
    const [x, y] = [box.x + 8, box.y + 8];
    const drag = async () => {
      await mouse.move(x, y);
      await mouse.down();
      await mouse.move(x + right / 2, y);
      await mouse.move(x + right, y);
      await expect(sheet.locator(".edge-gained")).toHaveText(" Berg of");
    };
    await drag();
    await keyboard.press("Escape");
    await expect(sheet.locator(".edge-gained")).toHaveCount(0);
    await mouse.up();
    await expect(marksOf(page)).toHaveText(["is Ida"]);
    await drag();
    await mouse.up();
    await expect(marksOf(page)).toHaveText(["is Ida Berg of"]);
    await expect(saidIn(page)).toContainText("The span now has 14 characters");
    await keyboard.press("Control+z");
    await expect(marksOf(page)).toHaveText(["is Ida"]);
  });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("found, marked and mended by touch", async ({ people, open }) => {
    const anna = await people.author();
    const { id } = await makeDraft(anna, "survey.txt", TEXT.replace("Heron", "<$S>Heron<$E>"));
    const page = await open(anna, `/documents/${id}`);
    const found = page.getByRole("button", { name: "3 findings" });
    await expect(found).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);

    await test.step("the findings", async () => {
      await found.tap();
      const list = page.getByRole("dialog", { name: "Classified content" });
      await expect(list.getByRole("button", { name: /^Mark all 3/ })).toBeVisible();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      // The list of findings shows a place under the dialog, which the text is behind: it closes, and comes again.
      await list.getByRole("button", { name: /^“HERON” is the marked/ }).tap();
      await expect(list).toBeHidden();
      await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("HERON");
      await page.keyboard.press("Control+Shift+S");
      await page.getByRole("button", { name: "2 findings" }).tap();
      await expect(list.locator("[data-findings]")).toHaveText("2");
      await expectNoSidewaysScroll(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("button", { name: "2 findings" })).toBeVisible();
    });

    await test.step("finding", async () => {
      await page.getByRole("button", { name: "More" }).tap();
      await page.getByRole("menuitem", { name: "Find and mark" }).tap();
      const dialog = findOf(page);
      await dialog.getByRole("textbox", { name: "Find in the document" }).fill("berg");
      await expect(dialog.getByRole("listitem")).toHaveCount(3);
      await dialog.getByRole("checkbox", { name: "Place 3" }).tap();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Mark 2", exact: true }).tap();
      await expect(marksOf(page)).toHaveText(["Heron", "Berg", "Berg", "HERON"]);
      await dialog.getByRole("button", { name: /I\. Berg/ }).tap();
      await expect(editorOf(page).locator(".found-place[data-current]")).toBeInViewport();
      await dialog.getByRole("button", { name: "Close search" }).tap();
      await expect(dialog).toBeHidden();
      await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("Berg");
    });
  });
});
