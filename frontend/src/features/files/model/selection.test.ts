// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { addressAtCursor, placesOfSelection, selectPoints } from "./selection";

let root: HTMLElement;

beforeEach(() => {
  document.body.innerHTML = `
    <div id="root">
      <h2>Part</h2>
      <div data-address="p1"><button>Mark</button><span data-at="0">Die 𝄞 </span><mark data-at="6">klingt</mark></div>
      <div data-address="p2"><span data-at="0">leise</span></div>
      <div data-address="p3"><span data-at="0">aus</span></div>
    </div><p id="out">outside</p>`;
  root = document.querySelector("#root") as HTMLElement;
});

const leaf = (address: string, number: number) =>
  root.querySelectorAll(`[data-address=${address}] [data-at]`)[number]?.firstChild as Text;

function select(from: Node, start: number, to: Node, end: number) {
  const range = document.createRange();
  range.setStart(from, start);
  range.setEnd(to, end);
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

it("names the code points that are selected, unit by unit", () => {
  select(leaf("p1", 0), 6, leaf("p2", 0), 3);
  expect(placesOfSelection(root)).toEqual([
    { address: "p1", start: 5, end: 12 },
    { address: "p2", start: 0, end: 3 },
  ]);
  expect(addressAtCursor(root)).toBe("p2");
});

it("takes whole words where it is asked to", () => {
  select(leaf("p1", 0), 2, leaf("p1", 1), 2);
  expect(placesOfSelection(root, true)).toEqual([{ address: "p1", start: 0, end: 12 }]);
  select(leaf("p1", 0), 7, leaf("p1", 1), 2);
  expect(placesOfSelection(root, true)).toEqual([{ address: "p1", start: 6, end: 12 }]);
});

it("counts what begins or ends beside the text", () => {
  const outside = document.querySelector("#out")?.firstChild as Text;
  select(root.querySelector("h2") as Node, 0, outside, 3);
  expect(placesOfSelection(root)).toEqual([
    { address: "p1", start: 0, end: 12 },
    { address: "p2", start: 0, end: 5 },
    { address: "p3", start: 0, end: 3 },
  ]);
  select(outside, 0, outside, 3);
  expect(placesOfSelection(root)).toEqual([]);
  expect(addressAtCursor(root)).toBeNull();
});

it("leads back to the place", () => {
  const unit = root.querySelector("[data-address=p1]") as HTMLElement;
  const range = selectPoints(unit, 4, 9) as Range;
  expect(range.toString()).toBe("𝄞 kli");
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  expect(placesOfSelection(root)).toEqual([{ address: "p1", start: 4, end: 9 }]);
});
