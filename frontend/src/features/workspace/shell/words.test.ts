// @vitest-environment jsdom
import { expect, test } from "vitest";
import { Problem, unreachable } from "@/api/problem";
import { markedName } from "@/features/text/tiptap/download-text";
import { charactersOf, charactersText } from "@/features/text/tiptap/editing";
import type { Phase } from "../saving/save-state";
import { saveNews, saveWords } from "../saving/save-words";
import { mineName } from "../saving/use-keep-as-new";
import { keyText } from "./shortcuts";

const waiting = (problem: Problem): Phase => ({ is: "waiting", dueAt: 5_000, problem });

test("how it stands, in words", () => {
  expect(saveWords(waiting(unreachable(null)), 1_500)).toBe(
    "Not saved: the gateway cannot be reached. Trying again in 4 s",
  );
  expect(saveWords(waiting(new Problem(503, "It is full.")), 9_000)).toBe("Not saved. It is full. Trying again now");
  expect(saveWords({ is: "refused", problem: new Problem(413, "Too large.") }, 0)).toBe("Not saved. Too large.");
});

test("saving that works is no news; what went wrong, and that it is over, is", () => {
  const saved: Phase = { is: "saved" };
  const lost = waiting(unreachable(null));
  expect(saveNews(saved, saved)).toBe(null);
  expect(saveNews({ is: "changed", dueAt: 0 }, saved)).toBe(null);
  expect(saveNews(saved, lost)).toContain("cannot be reached");
  expect(saveNews(lost, lost)).toBe(null);
  expect(saveNews(lost, saved)).toBe("Saved again.");
});

test("names of what is kept and downloaded", () => {
  expect([mineName("a.b.txt"), mineName("readme"), mineName(".env")]).toEqual([
    "a.b (mine).txt",
    "readme (mine)",
    ".env (mine)",
  ]);
  expect([markedName("a.txt"), markedName("readme")]).toEqual(["a.marked.txt", "readme.marked"]);
});

test("keys as people read them", () => {
  expect(keyText("Mod-Shift-s", false)).toBe("Ctrl+Shift+S");
  expect(keyText("Mod-Shift-s", true)).toBe("⇧⌘S");
  expect([keyText("Shift-F8", false), keyText("Shift-F8", true)]).toEqual(["Shift+F8", "⇧F8"]);
});

test("characters: an emoji is one, and so is a line end", () => {
  expect(charactersOf("a\u{1f600}\r\nb")).toBe(4);
  expect([charactersText(1), charactersText(1_200)]).toEqual(["1 character", "1,200 characters"]);
});
