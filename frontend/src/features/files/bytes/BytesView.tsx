import { plural, t } from "@lingui/core/macro";
import { Info, Lock } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { numberText } from "@/lib/numbers";
import { type Bytes, faultsOf, numberOf, placeOfBytes, rangesOfBytes } from "../model/byte-ranges";
import { useOpenFile } from "../open-file";
import { useMarks } from "../viewed-file";

/** A file that is not understood: all of it is classified, or ranges of its bytes. `size` in bytes. */
export function BytesView({ size }: { size: number }) {
  const file = useOpenFile();
  const { marks } = useMarks();
  const ranges = rangesOfBytes(marks);
  const all = ranges.length === 1 && ranges[0]?.from === 0 && ranges[0].to === size;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // There is but one place to go to.
    file.jump = () => heading.current?.focus();
    return () => {
      file.jump = () => {};
    };
  }, [file]);

  if (size === 0) {
    return <div className="sheet mx-auto max-w-[52rem]">{t`The file is empty. There is nothing to mark.`}</div>;
  }
  return (
    <div className="sheet mx-auto flex max-w-[52rem] flex-col gap-8">
      <div className="flex gap-3 text-sm">
        <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-quiet" />
        <p>{t`The gateway cannot read this type of file. It cannot check it for leaks or make a redacted edition, and you must confirm the plain part before you send it. If in doubt, classify the whole file.`}</p>
      </div>
      <section aria-labelledby="whole" className="flex flex-col items-start gap-3">
        <h2 id="whole" className="font-serif text-xl">{t`All of it`}</h2>
        <Button
          aria-pressed={all}
          icon={<Lock aria-hidden className="text-secure" />}
          onClick={() =>
            all
              ? file.replace([], t`Unmarked the whole file`)
              : file.mark([placeOfBytes({ from: 0, to: size })], t`the whole file`)
          }
        >
          {all ? t`Unmark the whole file` : t`Classify the whole file`}
        </Button>
      </section>
      <section aria-labelledby="ranges" className="flex flex-col gap-4">
        <h2 id="ranges" ref={heading} tabIndex={-1} className="font-serif text-xl outline-none">{t`Byte ranges`}</h2>
        <RangeBar ranges={ranges} size={size} />
        <RangeForm size={size} onRange={(range) => file.mark([placeOfBytes(range)], wordsOf(range))} />
      </section>
    </div>
  );
}

function wordsOf({ from, to }: Bytes): string {
  return t`bytes ${{ from: numberText(from) }} to ${{ to: numberText(to) }}`;
}

/** Where the ranges are in the file, in true proportion. The list of marks has the numbers. */
function RangeBar({ ranges, size }: { ranges: readonly Bytes[]; size: number }) {
  return (
    <div aria-hidden className="bar-plain relative h-3 overflow-hidden rounded-sm">
      {ranges.map(({ from, to }) => (
        <span
          key={from}
          className="absolute inset-y-0 min-w-0.5 bg-paper"
          style={{ left: `${(from / size) * 100}%`, width: `${((to - from) / size) * 100}%` }}
        >
          <span className="bar-secure block h-full" />
        </span>
      ))}
    </div>
  );
}

function RangeForm({ size, onRange }: { size: number; onRange: (range: Bytes) => void }) {
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [asked, setAsked] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const faults = faultsOf(from, to, size);
  const start = numberOf(from);
  const end = numberOf(to);
  const count = start !== null && end !== null && end > start ? end - start : null;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (faults.from) first.current?.focus();
        else if (faults.to) second.current?.focus();
        else if (start !== null && end !== null) {
          onRange({ from: start, to: end });
          setFrom("");
          setTo("");
          setAsked(false);
          first.current?.focus();
        }
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t`From byte`} hint={t`The first byte of the file is 0.`} error={asked ? faults.from : null}>
          <Input
            ref={first}
            inputMode="text"
            autoComplete="off"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </Field>
        <Field
          label={t`To byte (exclusive)`}
          hint={t`At most ${{ size: numberText(size) }}, the end of the file.`}
          error={asked ? faults.to : null}
        >
          <Input
            ref={second}
            inputMode="text"
            autoComplete="off"
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit">{t`Mark these bytes`}</Button>
        {count !== null && (
          <span className="text-quiet text-sm">{plural(count, { one: "# byte", other: "# bytes" })}</span>
        )}
      </div>
    </form>
  );
}
