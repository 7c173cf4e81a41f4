import { expect, it } from "vitest";
import { type Said, saidText } from "./sentence-text";
import { SENTENCES } from "./sentences";

const inFull = (one: Said) => saidText(one, one.text);
const said = (code: string, parameters: Record<string, string | number> = {}) => ({
  text: "In English",
  code,
  parameters,
});

it("says a sentence by its code, with its parameters", () => {
  expect(inFull(said("leak-elsewhere", { text: "Reed" }))).toBe("“Reed” is marked elsewhere, but not here");
  expect(inFull(said("leak-too-many", { limit: 5000 }))).toContain("more than 5,000 findings");
  expect(inFull(said("leak-many-places"))).toContain("too many other places");
});

it("says sentences in a sentence, and chooses between one and several", () => {
  const hidden = { text: "a comment", code: "leak-many-places", parameters: {} };
  expect(inFull({ text: "", code: "leak-hidden", parameters: { text: "a", hidden } })).toContain(
    "“a” is Marked phrases",
  );
  const sheets = (count: number) =>
    inFull(said("rule-without-column-in-sheets", { rule: "1", columns: "", sheets: "“A”", reason: "", count }));
  expect(sheets(1)).toContain("the sheet “A” has none");
  expect(sheets(2)).toContain("the sheets “A” have none");
});

it("keeps the English of a code that it does not know", () => {
  expect(inFull(said("of-a-newer-gateway", { text: "Reed" }))).toBe("In English");
  expect(saidText(null, "None")).toBe("None");
});

it("has a text for each code", () => {
  for (const code of Object.keys(SENTENCES)) expect(inFull(said(code, { count: 2 })), code).not.toBe("In English");
});
