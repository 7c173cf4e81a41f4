import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/Button";
import { Combobox } from "@/components/ui/Combobox";
import { Disclosure } from "@/components/ui/Disclosure";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { Select } from "@/components/ui/Select";
import { PHONE, useMedia } from "@/components/use-media";
import { ANY_NAME, FILTER_NAME, VALUE_NAME } from "./figures";
import { countFilters, FILTER_VALUES, FILTERS, type FilterName, isoOf, type Range, spanOf } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

const FIRST: readonly FilterName[] = ["direction", "peer", "mode"];
const NONE = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

const RANGE_CHOICES: { value: Range | "custom"; label: string }[] = [
  { value: "1h", label: t`Hour` },
  { value: "24h", label: t`Day` },
  { value: "7d", label: t`Week` },
  { value: "30d", label: t`30 days` },
  { value: "custom", label: t`Custom` },
];

/** The range and the filters of all panels. Their state is the page's address. */
export function FilterBar() {
  const { search, change } = useTimingsView();
  // On a phone they would leave no room for figures.
  const isPhone = useMedia(PHONE);
  const first = isPhone ? [] : FIRST;
  const others = FILTERS.filter((name) => !first.includes(name));
  const active = others.filter((name) => search[name] !== undefined);
  const [open, setOpen] = useState(!isPhone && active.length > 0);
  const isFiltered = countFilters(search) > 0;
  const { choices } = useTimings("summary").data?.answer ?? {};
  const known: Partial<Record<FilterName, readonly string[]>> = {
    ...FILTER_VALUES,
    mode: ["sieve", "secure-only"],
    peer: choices?.peers ?? [],
    channels: choices?.channels ?? [],
    suite: choices?.suites ?? [],
  };
  const select = (name: FilterName) => (
    <FilterSelect
      key={name}
      name={name}
      value={search[name]}
      values={known[name] ?? []}
      onValueChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <section aria-label={t`Time range and filters`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <SegmentedControl
          label={t`Time range`}
          value={search.since ? "custom" : (search.range ?? "24h")}
          onValueChange={(range) =>
            change(
              range === "custom"
                ? { ...spanOf(search, Date.now()), range: undefined }
                : { range, since: undefined, until: undefined },
            )
          }
          segments={RANGE_CHOICES}
        />
        {search.since && (
          <CustomRange key={`${search.since} ${search.until}`} since={search.since} until={search.until} />
        )}
        {first.length + Number(isFiltered) > 0 && (
          <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-end">
            {first.map(select)}
            {isFiltered && (
              <Button
                icon={<X aria-hidden />}
                onClick={() => change(NONE)}
                className="max-sm:col-span-2"
              >{t`Clear filters`}</Button>
            )}
          </div>
        )}
      </div>
      <Disclosure
        title={t`More filters`}
        summary={
          active.length > 0
            ? active.map((name) => VALUE_NAME[name](search[name] ?? "")).join(" · ")
            : isPhone
              ? t`Direction, peer, mode, size and others`
              : t`Size, share, channels, cipher suite, batch, outcome`
        }
        open={open}
        onOpenChange={setOpen}
      >
        <div className="grid grid-cols-2 gap-x-2 gap-y-3 sm:flex sm:flex-wrap">{others.map(select)}</div>
      </Disclosure>
    </section>
  );
}

interface FilterSelectProps {
  name: FilterName;
  value: string | undefined;
  values: readonly string[];
  onValueChange: (value: string | undefined) => void;
}

function FilterSelect({ name, value, values, onValueChange }: FilterSelectProps) {
  // The address may name a value that no transfer has any more.
  const shown = value === undefined || values.includes(value) ? values : [...values, value];
  // There may be hundreds of peers.
  if (name === "peer") {
    return (
      <Combobox
        label={FILTER_NAME.peer}
        className="w-full sm:w-56"
        value={value}
        onValueChange={onValueChange}
        values={shown}
        placeholder={ANY_NAME.peer}
        empty={t`No peer has this name.`}
      />
    );
  }
  return (
    <Select
      label={FILTER_NAME[name]}
      className="w-full sm:w-44"
      value={value ?? ""}
      onValueChange={(chosen) => onValueChange(chosen || undefined)}
      choices={[
        { value: "", label: ANY_NAME[name] },
        ...shown.map((one) => ({ value: one, label: VALUE_NAME[name](one) })),
      ]}
    />
  );
}

/** Two times in the reader's time zone. Mount it again when the range changes. */
function CustomRange({ since, until }: { since: string; until: string | undefined }) {
  const { change } = useTimingsView();
  const [from, setFrom] = useState(() => localText(since));
  const [to, setTo] = useState(() => (until ? localText(until) : ""));
  const wrong = to !== "" && from >= to;
  const future = to === "" && Date.parse(from) > Date.now();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (from === "" || wrong || future) return;
    change({ since: isoOf(Date.parse(from)), until: to === "" ? undefined : isoOf(Date.parse(to)), range: undefined });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-2">
      <Field
        label={t`From`}
        className="flex-row! flex-wrap items-center gap-2!"
        error={future ? t`Choose a time in the past.` : null}
      >
        <Input
          type="datetime-local"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
          className="w-auto!"
        />
      </Field>
      <Field
        label={t`To`}
        className="flex-row! flex-wrap items-center gap-2!"
        error={wrong ? t`Choose a time after the start.` : null}
      >
        <Input type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} className="w-auto!" />
      </Field>
      <Button type="submit" disabled={from === "" || wrong || future}>{t`Show`}</Button>
    </form>
  );
}

/** `2026-11-23T07:00`, as fields for date and time have it. */
function localText(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
