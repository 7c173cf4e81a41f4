import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { DETECTORS } from "@/api/catalogue";
import type { PolicyRule } from "@/api/policies";
import { Checkbox } from "@/components/ui/Checkbox";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";
import { Textarea } from "@/components/ui/Textarea";
import { changeKind, GRANULARITIES, KINDS, linesOf, ruleHas } from "./rules";

interface RuleFieldsProps {
  rule: PolicyRule;
  onChange: (rule: PolicyRule) => void;
}

/** The fields of a rule, by its kind. */
export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const { kind } = rule;
  const set = (change: Partial<PolicyRule>) => onChange(withoutEmptyTexts({ ...rule, ...change }));
  const wholeWord = rule.whole_word ?? true;
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-5 sm:grid-cols-2">
        <Select label={t`Find`} value={kind} onValueChange={(to) => onChange(changeKind(rule, to))} choices={KINDS} />
        {ruleHas(kind, "granularity") && (
          <Select
            label={t`Mark`}
            value={rule.granularity ?? "match"}
            onValueChange={(granularity) => set({ granularity })}
            choices={GRANULARITIES}
          />
        )}
      </div>
      <ValueField rule={rule} set={set} />
      {(ruleHas(kind, "case") || ruleHas(kind, "whole_word")) && (
        <div className="flex flex-wrap gap-x-8 gap-y-3">
          {ruleHas(kind, "case") && (
            <Checkbox label={t`Match case`} checked={rule.case ?? false} onCheckedChange={(on) => set({ case: on })} />
          )}
          {ruleHas(kind, "whole_word") && (
            <Checkbox
              label={t`Whole words only`}
              checked={wholeWord}
              onCheckedChange={(on) => set({ whole_word: on })}
            />
          )}
        </div>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t`Reason`} hint={t`Shown with each hit`}>
          <Input
            value={rule.reason ?? ""}
            maxLength={1000}
            autoComplete="off"
            onChange={({ target }) => set({ reason: target.value })}
          />
        </Field>
        <Field label={t`Label`} hint={t`Optional classification level, such as SECRET`}>
          <Input
            value={rule.label ?? ""}
            maxLength={200}
            autoComplete="off"
            onChange={({ target }) => set({ label: target.value })}
          />
        </Field>
      </div>
    </div>
  );
}

/** Leaves out an empty label and an empty reason. */
function withoutEmptyTexts(rule: PolicyRule): PolicyRule {
  const { label, reason, ...rest } = rule;
  return { ...rest, ...(label && { label }), ...(reason && { reason }) };
}

function ValueField({ rule, set }: { rule: PolicyRule; set: (change: Partial<PolicyRule>) => void }) {
  switch (rule.kind) {
    case "keywords":
      return (
        <Lines
          label={t`Keywords`}
          hint={t`One per line. Spaces match any white space. Different forms of accents and capitals also match.`}
          count={(count) => plural(count, { one: "# keyword.", other: "# keywords." })}
          value={rule.keywords ?? []}
          onChange={(keywords) => set({ keywords })}
        />
      );
    case "regex":
      return (
        <Field
          label={t`Pattern`}
          hint={t`RE2 syntax, without look-around or back-references. \\w, \\d and \\s match all scripts. “Whole words only” works in every script.`}
        >
          <Input
            value={rule.pattern ?? ""}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            className="font-mono"
            onChange={({ target }) => set({ pattern: target.value })}
          />
        </Field>
      );
    case "detector":
      return (
        <div className="flex flex-col gap-1">
          <Select
            label={t`Detector`}
            value={rule.detector ?? "email"}
            onValueChange={(detector) => set({ detector })}
            choices={DETECTORS}
          />
          <DetectorHint name={rule.detector ?? "email"} />
        </div>
      );
    case "columns":
      return (
        <Lines
          label={t`Columns`}
          hint={t`Column headings, one per line. Works in .csv, .tsv, .jsonl, .xlsx and .ods files.`}
          count={(count) => plural(count, { one: "# column.", other: "# columns." })}
          value={rule.columns ?? []}
          onChange={(columns) => set({ columns })}
        />
      );
    case "rows":
      return (
        <Field
          label={t`Where`}
          hint={
            <Trans>
              A column, then <code>=</code>, <code>!=</code>, <code>contains</code> or <code>matches</code>, then a
              value in quotes: <code>department = "HR"</code>
            </Trans>
          }
        >
          <Input
            value={rule.where ?? ""}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            onChange={({ target }) => set({ where: target.value })}
          />
        </Field>
      );
  }
}

/** What the detector finds, with an example that people can copy into “Try it”. */
function DetectorHint({ name }: { name: string }) {
  const detector = DETECTORS.find(({ value }) => value === name);
  if (!detector) return null;
  const { hint, example } = detector;
  return (
    <p className="text-quiet text-sm">
      <Trans>
        {hint}. For example: <code className="break-words">{example}</code>
      </Trans>
    </p>
  );
}

interface LinesProps {
  label: string;
  hint: string;
  /** "12 keywords." */
  count: (count: number) => string;
  value: readonly string[];
  onChange: (lines: string[]) => void;
}

/** A list with one item per line. It keeps the text as typed. */
function Lines({ label, hint, count, value, onChange }: LinesProps) {
  const [text, setText] = useState(() => value.join("\n"));
  return (
    <Field label={label} hint={`${hint} ${count(value.length)}`}>
      <Textarea
        value={text}
        spellCheck={false}
        className="max-h-72"
        onChange={({ target }) => {
          setText(target.value);
          onChange(linesOf(target.value));
        }}
      />
    </Field>
  );
}
