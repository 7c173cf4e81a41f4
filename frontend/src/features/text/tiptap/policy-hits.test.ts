import { expect, test } from "vitest";
import type { TextHit } from "@/api/policies";
import { markPlaces } from "./engine/bulk";
import { Session } from "./engine/session.fixture";
import { placed, standingsOf } from "./policy-hits";

const hit = (start: number, end: number, number = 1): TextHit => ({
  start,
  end,
  rule: `p/1#${number}`,
  reason: "",
  label: "",
  granularity: "match",
});

test("code points become places of the text, in its order", () => {
  const text = "🚢 Ida 🚢 Bo";
  const found = placed(text, [hit(8, 10), hit(2, 5)]);
  expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(["Ida", "Bo"]);
});

test("what is marked already is not asked about, and marks move no hit", () => {
  const session = new Session("<$S>Ida<$E> and Bo\nand Ida");
  const text = "Ida and Bo\nand Ida";
  const hits = placed(text, [hit(0, 3), hit(8, 10, 2), hit(15, 18)]);
  const before = standingsOf(session.state.doc, text, hits);
  expect(before?.open).toEqual([1, 2]);
  session.run(markPlaces([hits[2] as (typeof hits)[0]]));
  expect(session.marked).toBe("<$S>Ida<$E> and Bo\nand <$S>Ida<$E>");
  expect(standingsOf(session.state.doc, text, hits)?.open).toEqual([1]);
});

test("hits that overlap are marked as one span, in one step to undo", () => {
  const session = new Session("Ida Halvorsen went");
  const hits = placed("Ida Halvorsen went", [hit(0, 3), hit(0, 13, 2), hit(4, 13)]);
  session.run(markPlaces(hits));
  expect(session.marked).toBe("<$S>Ida Halvorsen<$E> went");
  session.undo();
  expect(session.marked).toBe("Ida Halvorsen went");
});

test("once the text is another one, nothing is known of it", () => {
  const session = new Session("Ida went").select(0).type("x");
  expect(standingsOf(session.state.doc, "Ida went", placed("Ida went", [hit(0, 3)]))).toBeNull();
});
