import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { AuditKind } from "@/api/audit";
import { peopleQuery } from "@/api/people";
import { SearchField } from "@/components/SearchField";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";

/** Filters as the address has them. `since`, `until`: days, both included. */
export interface AuditSearch {
  search?: string;
  actor?: string;
  kind?: string;
  since?: string;
  until?: string;
}

const KIND_WORD: Readonly<Record<AuditKind, string>> = {
  "sign-ins": t`Sign-ins`,
  reads: t`Documents read`,
  sending: t`Sent with findings`,
  marking: t`Labels and policies`,
  people: t`People`,
  peers: t`Peers`,
  log: t`The log itself`,
};

/** The kind with that name; undefined if there is none. */
export function asKind(value: string | undefined): AuditKind | undefined {
  return value !== undefined && Object.hasOwn(KIND_WORD, value) ? (value as AuditKind) : undefined;
}

interface AuditFilterFieldsProps {
  value: AuditSearch;
  onChange: (change: { [Name in keyof AuditSearch]?: string | undefined }) => void;
}

/** The fields that filter the audit log. */
export function AuditFilterFields({ value, onChange }: AuditFilterFieldsProps) {
  const people = useQuery(peopleQuery).data ?? [];
  const actors = people.map(({ name, display_name }) => ({ value: name, label: display_name, hint: name }));
  const { actor = "" } = value;
  if (actor && !actors.some((choice) => choice.value === actor)) {
    actors.push({ value: actor, label: actor, hint: "" });
  }
  return (
    <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
      <SearchField
        label={t`Search by login, peer or id`}
        value={value.search ?? ""}
        onSearch={(search) => onChange({ search })}
      />
      <Select<AuditKind | "">
        label={t`Kind`}
        labelHidden
        className="w-full sm:w-48"
        value={asKind(value.kind) ?? ""}
        onValueChange={(kind) => onChange({ kind: kind || undefined })}
        choices={[
          { value: "", label: t`Any kind` },
          ...(Object.entries(KIND_WORD) as [AuditKind, string][]).map(([kind, label]) => ({ value: kind, label })),
        ]}
      />
      <Select
        label={t`Person`}
        labelHidden
        className="w-full sm:w-44"
        value={actor}
        onValueChange={(login) => onChange({ actor: login || undefined })}
        choices={[{ value: "", label: t`Any person` }, ...actors]}
      />
      <DayField
        label={t({ context: "day", message: "From" })}
        value={value.since ?? ""}
        onChange={(since) => onChange({ since })}
      />
      <DayField
        label={t({ context: "day", message: "To" })}
        value={value.until ?? ""}
        onChange={(until) => onChange({ until })}
      />
    </div>
  );
}

function DayField(props: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <Field label={props.label} className="min-w-0 gap-1! sm:w-52 sm:flex-row! sm:items-center sm:gap-2!">
      <Input
        type="date"
        className="min-w-0"
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      />
    </Field>
  );
}
