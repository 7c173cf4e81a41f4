import { useState } from "react";
import { DETECTORS } from "@/api/catalogue";
import type { PolicyRule } from "@/api/policies";
import { Checkbox } from "@/components/ui/Checkbox";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";
import { Textarea } from "@/components/ui/Textarea";
import { countText } from "./rule-id";
import { changeKind, GRANULARITIES, KINDS, linesOf, ruleHas } from "./rules";

export interface RuleFieldsProps {
  rule: PolicyRule;
  onChange: (rule: PolicyRule) => void;
}

/** All that a rule can say, by its kind. */
export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const { kind } = rule;
  const set = (change: Partial<PolicyRule>) => onChange(withoutEmptyTexts({ ...rule, ...change }));
  const wholeWord = rule.whole_word ?? true;
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-5 sm:grid-cols-2">
        <Select label="Looks for" value={kind} onValueChange={(to) => onChange(changeKind(rule, to))} choices={KINDS} />
        {ruleHas(kind, "granularity") && (
          <Select
            label="Marks"
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
            <Checkbox label="Capitals count" checked={rule.case ?? false} onCheckedChange={(on) => set({ case: on })} />
          )}
          {ruleHas(kind, "whole_word") && (
            <Checkbox label="Whole words only" checked={wholeWord} onCheckedChange={(on) => set({ whole_word: on })} />
          )}
        </div>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Reason" hint="Goes with each mark, for who decides on it">
          <Input
            value={rule.reason ?? ""}
            maxLength={1000}
            autoComplete="off"
            onChange={({ target }) => set({ reason: target.value })}
          />
        </Field>
        <Field label="Label" hint="A level, such as SECRET; may be empty">
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

/** What says nothing is left out: no empty label, no reason without a word. */
function withoutEmptyTexts(rule: PolicyRule): PolicyRule {
  const { label, reason, ...rest } = rule;
  return { ...rest, ...(label && { label }), ...(reason && { reason }) };
}

function ValueField({ rule, set }: { rule: PolicyRule; set: (change: Partial<PolicyRule>) => void }) {
  switch (rule.kind) {
    case "keywords":
      return (
        <Lines
          label="Keywords"
          hint="One a line. White space in them stands for any, accents and capitals as they come."
          one="keyword"
          value={rule.keywords ?? []}
          onChange={(keywords) => set({ keywords })}
        />
      );
    case "regex":
      return (
        <Field
          label="Pattern"
          hint="RE2: no look-around, no back-reference. \w, \d and \s know every script; “Whole words only” is exact everywhere."
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
        <Select
          label="Detector"
          value={rule.detector ?? "email"}
          onValueChange={(detector) => set({ detector })}
          choices={DETECTORS}
        />
      );
    case "columns":
      return (
        <Lines
          label="Columns"
          hint="Their headings, one a line. In .csv, .tsv, .jsonl and .xlsx."
          one="column"
          value={rule.columns ?? []}
          onChange={(columns) => set({ columns })}
        />
      );
    case "rows":
      return (
        <Field
          label="Where"
          hint={
            <>
              A column, one of <code>=</code>, <code>!=</code>, <code>contains</code>, <code>matches</code>, and a value
              in quotes: <code>department = "HR"</code>
            </>
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

interface LinesProps {
  label: string;
  hint: string;
  one: string;
  value: readonly string[];
  onChange: (lines: string[]) => void;
}

/** A list, one a line; what is typed stays as it is typed. */
function Lines({ label, hint, one, value, onChange }: LinesProps) {
  const [text, setText] = useState(() => value.join("\n"));
  return (
    <Field label={label} hint={`${hint} ${countText(value.length, one, `${one}s`)}.`}>
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
