import { expect, test } from "vitest";
import type { PolicyWritten } from "@/api/policies";
import { applyRuleAction, insertRule, replaceRule, toEditable, toWritten } from "./editable-policy";

const POLICY: PolicyWritten = {
  name: "p",
  title: "P",
  guard: false,
  rules: [
    { kind: "detector", detector: "email" },
    { kind: "detector", detector: "iban" },
    { kind: "regex", pattern: "x" },
  ],
};

const summary = (policy: ReturnType<typeof toEditable>) =>
  policy.rules.map(({ id, rule }) => `${id}:${rule.detector ?? rule.pattern}`);

test("an unchanged policy is written as it was read", () => {
  expect(toWritten(toEditable(POLICY))).toEqual(POLICY);
});

test("rules keep their identity wherever they are moved", () => {
  const start = toEditable(POLICY);
  expect(summary(applyRuleAction(start, 2, "up"))).toEqual(["0:email", "2:x", "1:iban"]);
  expect(summary(applyRuleAction(start, 0, "down"))).toEqual(["1:iban", "0:email", "2:x"]);
  expect(summary(applyRuleAction(start, 0, "up"))).toEqual(summary(start));
  expect(summary(applyRuleAction(start, 2, "down"))).toEqual(summary(start));
});

test("a new rule has an identity that none had before", () => {
  const less = applyRuleAction(toEditable(POLICY), 2, "remove");
  expect(summary(insertRule(less, { kind: "regex", pattern: "y" }))).toEqual(["0:email", "1:iban", "3:y"]);
  expect(summary(applyRuleAction(toEditable(POLICY), 0, "copy"))).toEqual(["0:email", "3:email", "1:iban", "2:x"]);
});

test("one rule is changed, and no other", () => {
  const after = replaceRule(toEditable(POLICY), 1, { kind: "detector", detector: "phone" });
  expect(summary(after)).toEqual(["0:email", "1:phone", "2:x"]);
});
