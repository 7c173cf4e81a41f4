import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { draftSource } from "@/api/file-source";
import type { Mark } from "@/api/files";
import { fakeGateway, json } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import type { Size } from "../model/areas";
import { marked, type Place, unmarked, whole } from "../model/marks";
import { type Marking, ViewedFile, ViewedFileContext } from "../viewed-file";
import { PdfPage } from "./PdfPage";

/** As most scanners have it: not whole points. */
const SIZE: Size = [594.96, 841.92];
const OUTLINE = { format: "pdf", pages: 2, page_sizes: [SIZE, SIZE], columns: null, rows: null, sheets: null } as const;
const AREA = "page/2/area/10,20-40,60";

class MarkedFile extends ViewedFile {
  override get marking(): Marking {
    const { history } = this;
    const now = () => history.snapshot().marks;
    return {
      mark: (places: readonly Place[]) => history.change(marked(now(), places), ""),
      unmark: (places: readonly Place[]) => history.change(unmarked(now(), places), ""),
    };
  }
}

function open(places: readonly Place[] = [], Kind: typeof ViewedFile = MarkedFile) {
  fakeGateway({
    "GET /api/v1/drafts/d1/pages/2/words": json({ width: SIZE[0], height: SIZE[1], text: "", words: [] }),
  });
  const file = new Kind(draftSource("d1"), { ...OUTLINE, note: "" }, marked([], places));
  const { container } = renderSignedIn(
    <ViewedFileContext value={file}>
      <PdfPage page={2} pages={2} width={SIZE[0]} size={SIZE} />
    </ViewedFileContext>,
  );
  const addresses = () => file.history.snapshot().marks.map(({ address }: Mark) => address);
  return { addresses, container };
}

const toggle = () => screen.findByRole("button", { name: "Mark an area of page 2" });

test("an area of a page is marked by the keyboard, and Escape ends it", async () => {
  const { addresses } = open();
  const user = userEvent.setup();
  expect(screen.queryByText("Mark an area by numbers")).toBeNull();
  (await toggle()).focus();
  await user.keyboard("{Enter}");
  expect((await toggle()).getAttribute("aria-pressed")).toBe("true");
  for (const [label, value] of Object.entries({ Left: "10", Top: "20", Width: "586", Height: "822" })) {
    await user.clear(screen.getByLabelText(label));
    await user.type(screen.getByLabelText(label), value);
  }
  await user.keyboard("{Enter}");
  expect(await screen.findByText(/within 595 × 842 points/, { selector: "div" })).toBeTruthy();
  expect(addresses()).toEqual([]);
  // Up to the page's edge, which is at most half a point further.
  await user.clear(screen.getByLabelText("Width"));
  await user.type(screen.getByLabelText("Width"), "585{Enter}");
  expect(addresses()).toEqual(["page/2/area/10,20-595,842"]);
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(await toggle());
  expect((await toggle()).getAttribute("aria-pressed")).toBe("false");
  expect(screen.queryByText("Mark an area by numbers")).toBeNull();
  screen.getByRole("button", { name: "Unmark area 1" }).focus();
  await user.keyboard("{Enter}");
  expect(addresses()).toEqual([]);
});

test("areas are drawn while the button is pressed, and words are selected otherwise", async () => {
  const { addresses, container } = open();
  const layer = container.querySelector<HTMLElement>(".areas");
  if (!layer) throw new Error("there is no layer of areas");
  layer.setPointerCapture = () => {};
  vi.spyOn(layer, "getBoundingClientRect").mockReturnValue(new DOMRect(100, 50, SIZE[0], SIZE[1]));
  const drag = (end: () => void = () => {}) => {
    fireEvent.pointerDown(layer, { button: 0, pointerType: "touch", clientX: 110.5, clientY: 70.5 });
    fireEvent.pointerMove(layer, { clientX: 130, clientY: 100 });
    end();
    fireEvent.pointerUp(layer, { clientX: 139.5, clientY: 109.5 });
  };
  drag();
  expect(addresses()).toEqual([]);
  fireEvent.click(await toggle());
  drag(() => fireEvent.keyDown(layer, { key: "Escape" }));
  expect(addresses()).toEqual([]);
  fireEvent.click(await toggle());
  drag();
  expect(addresses()).toEqual([AREA]);
  expect(container.querySelector(".area-drawn")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: /^Mark page/ }));
  expect(screen.queryByRole("button", { name: "Mark an area of page 2" })).toBeNull();
});

test("readers see a marked area, and nothing to change it by", async () => {
  const { container } = open([whole(AREA)], ViewedFile);
  expect(await screen.findByText("The whole page is classified, because of a mark on it")).toBeTruthy();
  expect(container.querySelector(`[data-area="${AREA}"]`)).toBeTruthy();
  expect(await screen.findByText(/no text to select/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});
