/** Places that the gateway counted in code points, in a text that is changed meanwhile. */
import { expect, test } from "vitest";
import { LargeEditor } from "@/large/editor";
import { Look } from "./look";

function opened(marked: string): LargeEditor {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  return new LargeEditor(marked, "Text");
}

test("code points are found where they stand, and move with the text", async () => {
  const editor = opened("😀 Ida <$S>Berg<$E>\nand Ida 😀");
  const look = new Look(editor);
  await look.count();
  // "Ida" stands at code points 2 to 5 and 15 to 18.
  const [first, second] = [
    { start: 2, end: 5 },
    { start: 15, end: 18 },
  ];
  const text = ({ start, end }: typeof first) => {
    const place = look.place({ start, end });
    return place && editor.state.sliceDoc(place.from, place.to);
  };
  expect([text(first), text(second), look.isCurrent()]).toEqual(["Ida", "Ida", true]);
  editor.replace("new 😀 Ida <$S>Berg<$E>\nand Ida 😀");
  expect([text(first), text(second), look.isCurrent()]).toEqual(["Ida", "Ida", false]);
  look.end();
});

test("what is gone, and what never was there, has no place", async () => {
  const editor = opened("Ida and Berg");
  const look = new Look(editor);
  await look.count();
  expect(look.place({ start: 0, end: 400 })).toBeNull();
  expect(look.place({ start: null, end: null })).toBeNull();
  editor.replace("and Berg");
  expect(look.place({ start: 0, end: 3 })).toBeNull();
  expect(look.place({ start: 8, end: 12 })).not.toBeNull();
});
