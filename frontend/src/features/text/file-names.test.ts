// @vitest-environment jsdom
import { expect, test } from "vitest";
import { markedName } from "./save-text";
import { mineName } from "./use-keep-as-new";

test("names of what is kept and downloaded", () => {
  expect([mineName("a.b.txt"), mineName("readme"), mineName(".env")]).toEqual([
    "a.b (mine).txt",
    "readme (mine)",
    ".env (mine)",
  ]);
  expect([markedName("a.txt"), markedName("readme")]).toEqual(["a.marked.txt", "readme.marked"]);
});
