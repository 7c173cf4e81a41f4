import { Combobox } from "@base-ui/react/combobox";
import { t } from "@lingui/core/macro";
import { Check, X } from "lucide-react";
import { type ReactNode, useId, useMemo } from "react";
import { cx } from "@/lib/cx";
import { OPTION, POPUP } from "./Menu";

export interface ComboChoice {
  value: string;
  label: string;
  /** A second line in the list; typing finds it, too. */
  detail?: string;
  /** The text of the chip, if it is not the label. */
  chip?: string;
  /** Shown after the label, in the list and on the chip, such as a badge. */
  note?: ReactNode;
}

interface MultiComboboxProps {
  label: string;
  error: string | null;
  choices: readonly ComboChoice[];
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  placeholder: string;
  /** Names a value that is not among the choices. */
  nameOf?: (value: string) => string;
  /** Shown when no choice matches what is typed. */
  empty: string;
  /** Warnings about the choices that the list shows. */
  warn?: (shown: readonly string[]) => readonly string[];
}

/** Chooses several of many: typing filters, Enter chooses, Backspace removes the last. */
export function MultiCombobox(props: MultiComboboxProps) {
  const id = useId();
  const byValue = useMemo(() => new Map(props.choices.map((choice) => [choice.value, choice])), [props.choices]);
  const values = useMemo(() => props.choices.map((choice) => choice.value), [props.choices]);
  const labelOf = (value: string) => byValue.get(value)?.label ?? props.nameOf?.(value) ?? value;
  const chipOf = (value: string) => byValue.get(value)?.chip ?? labelOf(value);
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-sm">
        {props.label}
      </label>
      <Combobox.Root
        items={values}
        multiple
        autoHighlight
        value={[...props.value]}
        onValueChange={(value, details) => {
          // Escape closes the list, or the dialog around the field. By default it would remove all choices.
          if (details.reason === "escape-key") details.allowPropagation();
          else props.onValueChange(value);
        }}
        itemToStringLabel={(value: string) => `${labelOf(value)} ${byValue.get(value)?.detail ?? value}`}
      >
        <Combobox.InputGroup
          className={cx(
            "w-full rounded-md border border-edge bg-raised p-1 text-base focus-within:outline-2 focus-within:outline-focus focus-within:-outline-offset-1 hover:border-ink sm:text-sm",
            props.error && "border-danger",
          )}
        >
          <Combobox.Chips className="flex flex-wrap gap-1">
            <Combobox.Value>
              {(chosen: string[]) => (
                <>
                  {chosen.map((value) => (
                    <Combobox.Chip
                      key={value}
                      aria-label={chipOf(value)}
                      className="flex max-w-full items-center gap-1 rounded-sm bg-ink/8 py-0.5 pr-0.5 pl-2 outline-none focus-within:outline-2 focus-within:outline-focus data-highlighted:bg-ink/15"
                    >
                      <span
                        dir="auto"
                        // A text that tells apart equal labels must be seen whole.
                        className={cx("min-w-0", byValue.get(value)?.chip ? "wrap-anywhere" : "truncate")}
                        title={chipOf(value)}
                      >
                        {chipOf(value)}
                      </span>
                      {byValue.get(value)?.note}
                      <Combobox.ChipRemove
                        aria-label={t`Remove ${{ name: chipOf(value) }}`}
                        className="tap flex size-7 shrink-0 items-center justify-center rounded-sm text-quiet hover:text-ink [&_svg]:size-4"
                      >
                        <X aria-hidden />
                      </Combobox.ChipRemove>
                    </Combobox.Chip>
                  ))}
                  <Combobox.Input
                    id={id}
                    // While the list is open, screen readers cannot see the label.
                    aria-label={props.label}
                    placeholder={chosen.length > 0 ? "" : props.placeholder}
                    aria-describedby={props.error ? `${id}-error` : undefined}
                    aria-invalid={props.error ? true : undefined}
                    className="h-8 pointer-coarse:h-9 min-w-24 flex-1 bg-transparent px-2 outline-none placeholder:text-quiet"
                  />
                </>
              )}
            </Combobox.Value>
          </Combobox.Chips>
        </Combobox.InputGroup>
        <Combobox.Portal>
          <Combobox.Positioner positionMethod="fixed" sideOffset={4} className="z-50 outline-none">
            <Combobox.Popup className={cx(POPUP, "w-(--anchor-width)")}>
              <Combobox.Empty>
                <p className="px-3 py-2 text-quiet">{props.empty}</p>
              </Combobox.Empty>
              {props.warn && <Warnings of={props.warn} />}
              <Combobox.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto outline-none">
                {(value: string) => (
                  <Combobox.Item key={value} value={value} className={OPTION}>
                    <span className="size-4">
                      <Combobox.ItemIndicator>
                        <Check aria-hidden />
                      </Combobox.ItemIndicator>
                    </span>
                    <span className="min-w-0 flex-1">
                      <span className="block truncate">{labelOf(value)}</span>
                      {byValue.get(value)?.detail && (
                        <span className="wrap-anywhere block text-quiet text-xs">{byValue.get(value)?.detail}</span>
                      )}
                    </span>
                    {byValue.get(value)?.note}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {props.error && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {props.error}
        </p>
      )}
    </div>
  );
}

/** Announces warnings about the choices that the list shows. */
function Warnings({ of }: { of: (shown: readonly string[]) => readonly string[] }) {
  const warnings = of(Combobox.useFilteredItems<string>());
  return (
    <Combobox.Status className={cx(warnings.length > 0 && "border-line border-b px-3 py-2")}>
      {warnings.map((warning) => (
        <span key={warning} className="wrap-anywhere block">
          {warning}
        </span>
      ))}
    </Combobox.Status>
  );
}
