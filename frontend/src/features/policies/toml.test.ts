import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyRule } from "@/api/policies";
import { EXAMPLES } from "./examples";
import { printPolicy, readPolicy, TomlProblem } from "./toml";

const text = fc.string({ unit: "grapheme" });

const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    kind: fc.constantFrom("keywords" as const, "regex" as const, "rows" as const),
    keywords: fc.array(text),
    pattern: fc.oneof(text, fc.constantFrom("\\b[A-Z]{2}-\\d{4}\\b", "it's", `"both" 'kinds'`, "\\", "a\tb\u007f")),
    where: text,
    granularity: fc.constantFrom("match" as const, "page" as const),
    case: fc.boolean(),
    whole_word: fc.boolean(),
    label: text,
    reason: text,
  },
  { requiredKeys: ["kind"] },
);

test("a printed policy is read back unchanged", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), fc.array(rule), (name, title, guard, rules) => {
      const policy = { name, title, guard, rules };
      expect(readPolicy(printPolicy(policy))).toEqual(policy);
      expect(readPolicy(printPolicy(policy, 3))).toEqual(policy);
    }),
  );
});

test("a pattern is printed without escapes", () => {
  const rules = [{ kind: "regex" as const, pattern: "\\b[A-Z]{2}\\b", case: true }];
  expect(printPolicy({ name: "files", title: "", guard: false, rules }, 2)).toBe(
    `name = "files"\nversion = 2\n\n[[rules]]\nkind = "regex"\npattern = '\\b[A-Z]{2}\\b'\ncase = true\n`,
  );
});

test("keywords files are put in", () => {
  const files = new Map([["people.txt", "# people\nIda Halvorsen\r\n\n  Bo Ek \n"]]);
  const written = `name = "people"\n[[rules]]\nkind = "keywords"\nkeywords_file = "lists/people.txt"\nkeywords = ["Ann"]`;
  expect(readPolicy(written, files).rules).toEqual([{ kind: "keywords", keywords: ["Ann", "Ida Halvorsen", "Bo Ek"] }]);
  expect(() => readPolicy(written)).toThrow("Rule 1 needs the file lists/people.txt");
});

test.each([
  ["name = ", /^Line 1, column \d+: /],
  ["name = 1", "The name must be text."],
  [`names = "x"`, "Unknown field names"],
  ["rules = 3", "Rules must be [[rules]] tables"],
  [`[[rules]]\nkind = "regex"\nwholeword = true`, "Rule 1: unknown field wholeword"],
  [`[[rules]]\nkind = "regex"\ncase = "no"`, "Rule 1: case must be true or false."],
  [`[[rules]]\nkind = "keywords"\nkeywords = "x"`, "Rule 1: keywords must be a list of text values."],
])("%j is refused with what and where", (written, says) => {
  expect(() => readPolicy(written)).toThrow(TomlProblem);
  expect(() => readPolicy(written)).toThrow(says);
});

test("the examples can be read, and say what they are", () => {
  expect(EXAMPLES.map(({ policy }) => policy.name)).toEqual(["personal-data", "cui", "nato", "uk"]);
  for (const { policy, about } of EXAMPLES) {
    expect(policy.rules.length).toBeGreaterThan(0);
    expect(policy.title).not.toBe("");
    expect(about).not.toBe("");
  }
});
