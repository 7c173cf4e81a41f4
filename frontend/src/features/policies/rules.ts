/** The kinds and fields of rules for the form. docs/policies.md defines them. */
import { DETECTORS } from "@/api/catalogue";
import type { Granularity, PolicyRule, RuleKind } from "@/api/policies";
import { countText } from "@/lib/prose";

interface Named<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint: string;
}

export const KINDS: readonly Named<RuleKind>[] = [
  { value: "keywords", label: "Keywords", hint: "Words and phrases, one per line" },
  { value: "detector", label: "Detector", hint: "Email addresses, phone numbers, account numbers…" },
  { value: "regex", label: "Pattern", hint: "A regular expression (RE2)" },
  { value: "columns", label: "Columns", hint: "Whole table columns, by heading" },
  { value: "rows", label: "Rows", hint: "Whole table rows, by cell content" },
];

export const GRANULARITIES: readonly Named<Granularity>[] = [
  { value: "match", label: "Only the match", hint: "Nothing around it" },
  { value: "word", label: "The word", hint: "The whole word around it" },
  { value: "sentence", label: "The sentence", hint: "Across line breaks and abbreviations" },
  { value: "paragraph", label: "The paragraph", hint: "Up to an empty line" },
  { value: "page", label: "The page", hint: "The whole document if it has no pages" },
  { value: "document", label: "The document", hint: "Including hidden content" },
];

/** Whether rules of this kind have that field; the gateway refuses fields that a kind does not have. */
export function ruleHas(kind: RuleKind, field: "granularity" | "case" | "whole_word"): boolean {
  if (field === "case") return kind !== "detector";
  if (field === "granularity") return kind === "keywords" || kind === "regex" || kind === "detector";
  return kind === "keywords" || kind === "regex";
}

/** The rule with another kind, with the fields that both kinds have. */
export function changeKind(rule: PolicyRule, kind: RuleKind): PolicyRule {
  const { label, reason, granularity, whole_word } = rule;
  return {
    kind,
    ...(kind === "detector" && { detector: "email" }),
    ...(ruleHas(kind, "granularity") && granularity && { granularity }),
    ...(ruleHas(kind, "case") && rule.case !== undefined && { case: rule.case }),
    ...(ruleHas(kind, "whole_word") && whole_word !== undefined && { whole_word }),
    ...(label && { label }),
    ...(reason && { reason }),
  };
}

/** What a rule finds, on one line. */
export function summaryOf(rule: PolicyRule): string {
  switch (rule.kind) {
    case "keywords": {
      const words = rule.keywords ?? [];
      if (words.length === 0) return "No keywords yet";
      const first = words.slice(0, 3).join(", ");
      return words.length > 3 ? `${first} and ${countText(words.length - 3, "more", "more")}` : first;
    }
    case "regex":
      return rule.pattern || "No pattern yet";
    case "detector":
      return DETECTORS.find(({ value }) => value === rule.detector)?.label ?? rule.detector ?? "No detector yet";
    case "columns":
      return rule.columns?.join(", ") || "No columns yet";
    case "rows":
      return rule.where || "No condition yet";
  }
}

/** The lines of a text, trimmed, without empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
