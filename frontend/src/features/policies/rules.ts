/** The kinds and fields of rules for the form. docs/policies.md defines them. */
import { plural, t } from "@lingui/core/macro";
import { DETECTORS } from "@/api/catalogue";
import type { Granularity, PolicyRule, RuleKind } from "@/api/policies";

interface Named<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint: string;
}

export const KINDS: readonly Named<RuleKind>[] = [
  { value: "keywords", label: t`Keywords`, hint: t`Words and phrases, one per line` },
  { value: "detector", label: t`Detector`, hint: t`Email addresses, phone numbers, account numbers…` },
  { value: "regex", label: t`Pattern`, hint: t`A regular expression (RE2)` },
  { value: "columns", label: t`Columns`, hint: t`Whole table columns, by heading` },
  { value: "rows", label: t`Rows`, hint: t`Whole table rows, by cell content` },
];

/** `about`: what the line of a rule says of it. */
export const GRANULARITIES: readonly (Named<Granularity> & { about?: string })[] = [
  { value: "match", label: t`Only the match`, hint: t`Nothing around it` },
  { value: "word", label: t`The word`, hint: t`The whole word around it`, about: t`marks the word` },
  {
    value: "sentence",
    label: t`The sentence`,
    hint: t`Across line breaks and abbreviations`,
    about: t`marks the sentence`,
  },
  { value: "paragraph", label: t`The paragraph`, hint: t`Up to an empty line`, about: t`marks the paragraph` },
  { value: "page", label: t`The page`, hint: t`The whole document if it has no pages`, about: t`marks the page` },
  { value: "document", label: t`The document`, hint: t`Including hidden content`, about: t`marks the document` },
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
      if (words.length === 0) return t`No keywords yet`;
      const first = words.slice(0, 3).join(", ");
      return words.length > 3
        ? plural(words.length - 3, { one: `${first} and # more`, other: `${first} and # more` })
        : first;
    }
    case "regex":
      return rule.pattern || t`No pattern yet`;
    case "detector":
      return DETECTORS.find(({ value }) => value === rule.detector)?.label ?? rule.detector ?? t`No detector yet`;
    case "columns":
      return rule.columns?.join(", ") || t`No columns yet`;
    case "rows":
      return rule.where || t`No condition yet`;
  }
}

/** The lines of a text, trimmed, without empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
