import { Combobox as Base } from "@base-ui/react/combobox";
import { plural, t } from "@lingui/core/macro";
import { Check, ChevronsUpDown, X } from "lucide-react";
import { useId } from "react";
import { cx } from "@/lib/cx";
import { CONTROL } from "./Input";
import { OPTION, POPUP } from "./Menu";

/** This many options open at once: hundreds would take a second. */
const MOST_SHOWN = 50;

interface ComboboxProps {
  label: string;
  value: string | undefined;
  onValueChange: (value: string | undefined) => void;
  values: readonly string[];
  /** Shown while nothing is chosen. */
  placeholder: string;
  /** Shown when nothing matches what is typed. */
  empty: string;
  className?: string;
}

/** Chooses one of many or none: typing filters, Enter chooses. */
export function Combobox({ label, value, onValueChange, values, placeholder, empty, className }: ComboboxProps) {
  const id = useId();
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="font-medium text-sm">
        {label}
      </label>
      <Base.Root
        items={values}
        limit={MOST_SHOWN}
        autoHighlight
        value={value ?? null}
        onValueChange={(chosen) => onValueChange(chosen ?? undefined)}
      >
        <Base.InputGroup className="relative">
          <Base.Input
            id={id}
            // While the list is open, screen readers cannot see the label.
            aria-label={label}
            placeholder={placeholder}
            // Typing replaces what is chosen.
            onFocus={({ target }) => target.select()}
            className={cx(CONTROL, "h-10 pointer-coarse:h-11 text-ellipsis pr-10 placeholder:text-ink")}
          />
          {value === undefined ? (
            <ChevronsUpDown
              aria-hidden
              className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-quiet"
            />
          ) : (
            <Base.Clear
              aria-label={t`Clear: ${label}`}
              className="tap absolute inset-y-0 right-1 my-auto flex size-8 items-center justify-center rounded-sm text-quiet hover:text-ink [&_svg]:size-4"
            >
              <X aria-hidden />
            </Base.Clear>
          )}
        </Base.InputGroup>
        <Base.Portal>
          <Base.Positioner positionMethod="fixed" sideOffset={4} className="z-50 outline-none">
            <Base.Popup className={cx(POPUP, "w-(--anchor-width) min-w-56")}>
              <Base.Empty>
                <p className="px-3 py-2 text-quiet">{empty}</p>
              </Base.Empty>
              <Base.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto outline-none">
                {(one: string) => (
                  <Base.Item key={one} value={one} className={OPTION}>
                    <span className="size-4">
                      <Base.ItemIndicator>
                        <Check aria-hidden />
                      </Base.ItemIndicator>
                    </span>
                    <span className="wrap-anywhere min-w-0">{one}</span>
                  </Base.Item>
                )}
              </Base.List>
              <Base.Status
                className={cx(values.length > MOST_SHOWN && "border-line border-t px-3 py-2 text-quiet text-xs")}
              >
                {values.length > MOST_SHOWN &&
                  t`${plural(values.length, { one: "# choice", other: "# choices" })}: type to find one.`}
              </Base.Status>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </div>
  );
}
