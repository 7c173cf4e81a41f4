/** The editor's guard on the texts that the gateway's guard is held against, too: `leak_cases.json`. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { leaks } from "./leaks";
import { load } from "./load";
import { schema, textOf } from "./session.fixture";

interface Case {
  readonly about: string;
  readonly text: string;
}

const here = import.meta.url;
const FILE = new URL("../../../../../../backend/tests/samples/leak_cases.json", here);
const cases = JSON.parse(new TextDecoder().decode(readFileSync(FILE))) as Record<"both" | "gateway" | "editor", Case[]>;

/** What is quoted and not found, and what is found and not quoted. */
function lookedAt(marked: string): { missed: string[]; found: string[] } {
  const doc = load(marked.replace(/[«»]/g, ""), schema);
  const text = textOf(doc);
  const quoted: { from: number; to: number }[] = [];
  let from = 0;
  let at = 0;
  for (const character of marked.replace(/<\$[SE]>/g, "")) {
    if (character === "«") from = at;
    else if (character === "»") quoted.push({ from, to: at });
    else at += character.length;
  }
  const places = leaks(doc).flatMap((leak) => leak.places);
  const outside = (these: typeof quoted, those: readonly { from: number; to: number }[]) =>
    these
      .filter((one) => !those.some((other) => other.from < one.to && one.from < other.to))
      .map((one) => text.slice(one.from, one.to));
  return { missed: outside(quoted, places), found: outside([...places], quoted) };
}

test.each([...cases.both, ...cases.editor])("found: $about", ({ text }) => {
  expect(lookedAt(text)).toEqual({ missed: [], found: [] });
});

test.each(cases.gateway)("left to the gateway: $about", ({ text }) => {
  const { missed, found } = lookedAt(text);
  expect(found).toEqual([]);
  expect(missed).not.toEqual([]);
});
