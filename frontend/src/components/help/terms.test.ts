import { expect, test } from "vitest";
import glossary from "../../../../docs/glossary.md?raw";
import { TERMS } from "./terms";

test("each word that the help explains is in the glossary", () => {
  const words = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, words = ""]) => words.split(", "));
  expect(Object.keys(TERMS).filter((term) => !words.includes(term))).toEqual([]);
});
