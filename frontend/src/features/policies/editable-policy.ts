/** A policy while it is edited: each rule keeps an identity of its own, wherever it is moved. */
import type { PolicyRule, PolicyWritten } from "@/api/policies";
import type { RuleDeed } from "./RuleCard";

export interface EditedRule {
  readonly id: number;
  readonly rule: PolicyRule;
}

export interface Edited {
  readonly name: string;
  readonly title: string;
  readonly guard: boolean;
  readonly rules: readonly EditedRule[];
  /** The next rule's identity. */
  readonly next: number;
}

export function edited({ name, title, guard, rules }: PolicyWritten, next = 0): Edited {
  return {
    name,
    title,
    guard,
    rules: rules.map((rule, index) => ({ id: next + index, rule })),
    next: next + rules.length,
  };
}

export function written({ name, title, guard, rules }: Edited): PolicyWritten {
  return { name, title, guard, rules: rules.map(({ rule }) => rule) };
}

export function withRule(policy: Edited, rule: PolicyRule, at = policy.rules.length): Edited {
  const rules = [...policy.rules];
  rules.splice(at, 0, { id: policy.next, rule });
  return { ...policy, rules, next: policy.next + 1 };
}

export function changed(policy: Edited, id: number, rule: PolicyRule): Edited {
  return { ...policy, rules: policy.rules.map((one) => (one.id === id ? { id, rule } : one)) };
}

export function done(policy: Edited, index: number, deed: RuleDeed): Edited {
  const one = policy.rules[index];
  if (!one) return policy;
  const rules = [...policy.rules];
  switch (deed) {
    case "copy":
      return withRule(policy, one.rule, index + 1);
    case "remove":
      rules.splice(index, 1);
      break;
    default: {
      const to = deed === "up" ? index - 1 : index + 1;
      if (to < 0 || to >= rules.length) return policy;
      rules.splice(index, 1);
      rules.splice(to, 0, one);
    }
  }
  return { ...policy, rules };
}
