import { expect, test } from "vitest";
import { durationText } from "@/lib/durations";
import { changeOf } from "./changes";

test.each([
  [12, 10, { direction: "up", text: "up from 10 ms" }],
  [8, 10, { direction: "down", text: "down from 10 ms" }],
  [10.01, 10.02, { direction: "same", text: "same as before" }],
  [10, null, { direction: "none", text: "none before" }],
  [null, 10, { direction: "none", text: "was 10 ms" }],
  [null, null, { direction: "none", text: "" }],
])("%s after %s", (now, before, change) => {
  const { direction, text } = changeOf(now, before, durationText);
  expect({ direction, text: text.replace("\u00a0", " ") }).toEqual(change);
});
