/** Presentations, mails, archives and pictures: marked in the editor, sent, read by those who are cleared and by others. */
import type { Locator, Page } from "@playwright/test";
import {
  choose,
  draftOf,
  expectRedacted,
  expectSameFile,
  importChosen,
  marksOf,
  pressMark,
  sample,
  saved,
  sendOn,
} from "../fixtures/files.ts";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";

const SECRET = "ORION VEGA";
const WITHHELD = "█████";
/** Each with the texts that say the secret, and what shows of them in the redacted edition. */
const TEXTS = [
  { name: "python-pptx.pptx", kind: "PowerPoint presentation", places: { "Text: Slide 2": `${WITHHELD} in the text` } },
  {
    name: "python-attachments.eml",
    kind: "E-mail",
    places: {
      "Text: Text": `The code is ${WITHHELD}, said Ann.`,
      "Text: Attachment 1": `Ship ${WITHHELD} leaves at noon`,
    },
  },
  { name: "python.zip", kind: "Zip archive", places: { "Text: File 1": `The code is ${WITHHELD}.` } },
];
const PHOTO = { name: "pillow.jpeg", kind: "Picture (.jpg)" };
const SCAN = { name: "pillow.tiff", kind: "Picture (.tiff)" };
const NAMES = [...TEXTS, PHOTO, SCAN].map(({ name }) => name);

const file = (name: string) => sample(`producers/${name}`);
const textOf = (page: Page, name: string) => page.getByRole("document", { name, exact: true });
const toInbox = (page: Page) => page.getByRole("link", { name: "Inbox" }).first().click();

/** From which part of a picture's width and height to which the author draws. */
const AREA = [0.2, 0.35] as const;

const WITHIN = 0.22;
/** Beyond the blocks of a JPEG around the area, which are black, too. */
const BESIDE = 0.85;

/** The lightest value of a colour, 0 to 255, in a tenth of a picture's width and height from that part on. */
async function lightestOf(picture: Locator, from = WITHIN): Promise<number> {
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBeTruthy();
  return picture.evaluate((img: HTMLImageElement, from) => {
    const canvas = document.createElement("canvas");
    const [width, height] = [img.naturalWidth, img.naturalHeight];
    [canvas.width, canvas.height] = [width, height];
    const drawing = canvas.getContext("2d");
    if (!drawing) throw new Error("the browser draws nothing");
    drawing.drawImage(img, 0, 0);
    const { data } = drawing.getImageData(width * from, height * from, width * 0.1, height * 0.1);
    return Math.max(...data.filter((_, at) => at % 4 !== 3));
  }, from);
}

/** Checks that the page says how much travels plain, as the gateway counts it. */
async function expectShare(
  page: Page,
  author: Person,
  format: string,
  marks: number,
  isPartlyPlain: boolean,
): Promise<void> {
  await saved(page);
  await expect.poll(() => draftOf(author)).toMatchObject({ format, marks });
  const { classified_bytes, plain_bytes } = await draftOf(author);
  expect(plain_bytes > 0).toBe(isPartlyPlain);
  const share = Math.round((100 * classified_bytes) / (classified_bytes + plain_bytes));
  await expect(page.getByText("classified", { exact: true }).locator("..")).toHaveText(new RegExp(`^${share}\\s?%`));
  await expect(page.getByRole("term").filter({ hasText: "Plain channel" }).locator("..")).toContainText(
    isPartlyPlain ? /[1-9]/ : "0 bytes",
  );
}

test("slides, mails, archives and pictures arrive byte for byte, and others get them without what is marked", async ({
  people,
  open,
}) => {
  test.slow(); // five files, and three people who look at each
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await open(anna, "/documents");
  const start = async ({ name, kind }: { name: string; kind: string }) => {
    await page.getByRole("link", { name: "Documents" }).first().click();
    const dialog = await choose(page, file(name));
    await expect(dialog.getByRole("radio", { name: kind })).toBeChecked();
    await importChosen(dialog, name);
  };

  for (const { name, kind, places } of TEXTS) {
    await test.step(`the author marks words in ${name}, and sends it`, async () => {
      await start({ name, kind });
      for (const place of Object.keys(places)) {
        await selectByMouse(textOf(page, place), SECRET);
        await expect(page.getByText(`Selected: “${SECRET}”`)).toBeVisible();
        await pressMark(page);
        await expect(textOf(page, place).locator("mark")).toHaveText([SECRET]);
      }
      await expect(marksOf(page)).toHaveCount(Object.keys(places).length);
      await expectShare(page, anna, name.split(".")[1] ?? "", Object.keys(places).length, true);
      await sendOn(page, bruno, rosa);
    });
  }

  await test.step("the author draws an area on a photo, and sends it", async () => {
    await start(PHOTO);
    const picture = page.getByRole("region", { name: "Picture", exact: true });
    expect(await lightestOf(picture.getByRole("img"))).toBeGreaterThan(100);
    await picture.getByRole("button", { name: "Mark areas instead" }).click();
    const box = await picture.getByRole("img").boundingBox();
    if (!box) throw new Error("the picture is not shown");
    const [from, to] = AREA;
    await page.mouse.move(box.x + box.width * from, box.y + box.height * from);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, box.y + box.height * to, { steps: 4 });
    await page.mouse.up();
    await expect(marksOf(page)).toHaveText([/Area /]);
    await expectShare(page, anna, "jpeg", 1, false);
    await sendOn(page, bruno, rosa);
  });

  await test.step("and a scan, which is marked as a whole from the start", async () => {
    await start(SCAN);
    const first = page.getByRole("region", { name: "Page 1", exact: true });
    await expect(first).toContainText("Classified. The redacted edition does not show it.");
    expect(await lightestOf(first.getByRole("img"))).toBeGreaterThan(100);
    await expectShare(page, anna, "tiff", 2, false);
    await sendOn(page, bruno, rosa);
  });

  await test.step("the cleared recipient reads each file, and has the very bytes", async () => {
    const theirs = await open(bruno, "/inbox");
    for (const name of NAMES) {
      await expectSameFile(theirs, name, file(name));
      for (const place of Object.keys(TEXTS.find((one) => one.name === name)?.places ?? {})) {
        await expect(textOf(theirs, place).locator("mark.classified")).toHaveText([SECRET]);
      }
      await toInbox(theirs);
    }
  });

  await test.step("others see and get neither the words nor the pixels", async () => {
    const theirs = await open(rosa, "/inbox");
    for (const { name, places } of TEXTS) {
      await expectRedacted(theirs, name, file(name), SECRET);
      for (const [place, left] of Object.entries(places)) await expect(textOf(theirs, place)).toContainText(left);
      await expect(theirs.getByText(SECRET)).toHaveCount(0);
      await toInbox(theirs);
    }
    await expectAccessible(theirs);
    await expectRedacted(theirs, PHOTO.name, file(PHOTO.name), SECRET);
    await expect(theirs.getByText("Classified areas are covered in black.")).toBeVisible();
    const photo = theirs.getByRole("region", { name: "Picture" }).getByRole("img");
    expect(await lightestOf(photo)).toBeLessThan(9);
    expect(await lightestOf(photo, BESIDE)).toBeGreaterThan(100);
    await toInbox(theirs);
    await expectRedacted(theirs, SCAN.name, file(SCAN.name), SECRET);
    expect(await lightestOf(theirs.getByRole("region", { name: "Page 1" }).getByRole("img"))).toBe(0);
  });
});
