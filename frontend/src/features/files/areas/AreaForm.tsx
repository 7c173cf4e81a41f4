import { t } from "@lingui/core/macro";
import { type FormEvent, useRef, useState } from "react";
import { isPicture } from "@/api/formats";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { numberText } from "@/lib/numbers";
import { type Area, addressOfArea, areaTyped, type Size, wholeSize } from "../model/areas";
import { whole } from "../model/marks";
import { type Marking, useViewedFile } from "../viewed-file";

interface AreaFormProps {
  page: number;
  size: Size;
  marking: Marking;
  /** Called with the area that the numbers describe now, to show it over the page. */
  onArea: (area: Area | null) => void;
}

/** Marks an area by numbers: the way for people who use no pointer. The arrow keys change a number. */
export function AreaForm({ page, size, marking, onArea }: AreaFormProps) {
  const { format } = useViewedFile();
  const [width, height] = wholeSize(size);
  const first = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(() =>
    [width / 4, height / 4, width / 2, height / 2].map((n) => String(Math.max(1, Math.floor(n)))),
  );
  const [fault, setFault] = useState<string | null>(null);
  const change = (at: number, value: string) => {
    const next = typed.map((other, index) => (index === at ? value : other));
    setTyped(next);
    onArea(areaTyped(next, size));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const area = areaTyped(typed, size);
    if (!area) {
      const words = isPicture(format)
        ? t`Enter whole numbers of an area within ${{ width: numberText(width) }} × ${{ height: numberText(height) }} pixels.`
        : t`Enter whole numbers of an area within ${{ width: numberText(width) }} × ${{ height: numberText(height) }} points.`;
      setFault(words);
      announce(words);
      first.current?.focus();
      return;
    }
    setFault(null);
    onArea(null);
    marking.mark([whole(addressOfArea(page, area))], t`an area`);
  };
  const labels = [t`Left`, t`Top`, t`Width`, t`Height`];
  const steps = [width, height, width, height].map((side) => Math.max(1, Math.round(side / 100)));
  return (
    <details
      className="mt-2 text-sm"
      onToggle={({ currentTarget }) => onArea(currentTarget.open ? areaTyped(typed, size) : null)}
    >
      <summary className="w-fit cursor-pointer py-1.5 underline">{t`Mark an area by numbers`}</summary>
      <p className="text-quiet">
        {isPicture(format)
          ? t`The picture has ${{ width: numberText(width) }} × ${{ height: numberText(height) }} pixels.`
          : t`The page has ${{ width: numberText(width) }} × ${{ height: numberText(height) }} points, 72 to the inch.`}
      </p>
      <form noValidate onSubmit={submit} className="flex flex-wrap items-end gap-3 pt-2">
        {labels.map((label, at) => (
          <Field key={label} label={label} error={at === 0 ? fault : null} className="w-24">
            <Input
              {...(at === 0 && { ref: first })}
              type="number"
              min={0}
              step={steps[at]}
              inputMode="numeric"
              autoComplete="off"
              value={typed[at] ?? ""}
              onChange={({ target }) => change(at, target.value)}
            />
          </Field>
        ))}
        <Button type="submit">{t`Mark this area`}</Button>
      </form>
    </details>
  );
}
