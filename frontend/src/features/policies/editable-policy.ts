/** A policy while it is edited: each rule keeps its ID when it moves. */
import type { PolicyRule, PolicyWritten } from "@/api/policies";
import type { RuleAction } from "./RuleCard";

interface EditableRule {
  readonly id: number;
  readonly rule: PolicyRule;
}

export interface EditablePolicy {
  readonly name: string;
  readonly title: string;
  readonly guard: boolean;
  readonly rules: readonly EditableRule[];
  /** The ID of the next new rule. */
  readonly next: number;
}

export function toEditable({ name, title, guard, rules }: PolicyWritten, next = 0): EditablePolicy {
  return {
    name,
    title,
    guard,
    rules: rules.map((rule, index) => ({ id: next + index, rule })),
    next: next + rules.length,
  };
}

export function toWritten({ name, title, guard, rules }: EditablePolicy): PolicyWritten {
  return { name, title, guard, rules: rules.map(({ rule }) => rule) };
}

export function insertRule(policy: EditablePolicy, rule: PolicyRule, at = policy.rules.length): EditablePolicy {
  const rules = [...policy.rules];
  rules.splice(at, 0, { id: policy.next, rule });
  return { ...policy, rules, next: policy.next + 1 };
}

export function replaceRule(policy: EditablePolicy, id: number, rule: PolicyRule): EditablePolicy {
  return { ...policy, rules: policy.rules.map((one) => (one.id === id ? { id, rule } : one)) };
}

export function applyRuleAction(policy: EditablePolicy, index: number, action: RuleAction): EditablePolicy {
  const one = policy.rules[index];
  if (!one) return policy;
  const rules = [...policy.rules];
  switch (action) {
    case "copy":
      return insertRule(policy, one.rule, index + 1);
    case "remove":
      rules.splice(index, 1);
      break;
    default: {
      const to = action === "up" ? index - 1 : index + 1;
      if (to < 0 || to >= rules.length) return policy;
      rules.splice(index, 1);
      rules.splice(to, 0, one);
    }
  }
  return { ...policy, rules };
}
