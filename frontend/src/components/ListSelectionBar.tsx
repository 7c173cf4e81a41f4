import { plural, t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type ReactElement, type ReactNode, useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { numberText } from "@/lib/numbers";

export interface BarAction {
  label: string;
  icon: ReactNode;
  tone?: "quiet" | "danger" | "primary";
  disabled?: boolean;
  onClick?: () => void;
  /** Wraps the button, for a menu: the button becomes its trigger. */
  wrap?: (button: ReactElement) => ReactNode;
}

interface ListSelectionBarProps {
  /** How many rows in the list are selected, and how many it shows. */
  here: number;
  shown: number;
  selected: number;
  /** How many rows match the search and the filters; null while that is unknown. */
  matching: number | null;
  busy: boolean;
  onAll: (on: boolean) => void;
  /** Selects all that match, not only those that are loaded. */
  onAllMatching: () => void;
  onClear: () => void;
  /** Text after the count, such as a limit. */
  note?: ReactNode;
  actions: readonly BarAction[];
}

/** A bar above a list, always in view: the number of selected documents, and actions on them. */
export function ListSelectionBar(props: ListSelectionBarProps) {
  const { here, shown, selected, matching, busy } = props;
  const all = numberText(matching ?? 0);
  const elsewhere = numberText(selected - here);
  const bar = useRef<HTMLElement>(null);
  const clear = () => {
    // This button disappears with the selection.
    bar.current?.querySelector<HTMLElement>("[role=checkbox]")?.focus();
    props.onClear();
  };
  const button = ({ label, icon, tone = "quiet", disabled = false, onClick, wrap }: BarAction) => {
    const shape = (
      <Button
        key={label}
        size="sm"
        tone={tone}
        className="md:h-7 max-sm:h-10 max-sm:px-2.5"
        icon={icon}
        disabled={busy || disabled}
        {...(onClick && { onClick })}
      >
        <span className="max-lg:sr-only">{label}</span>
      </Button>
    );
    return wrap ? wrap(shape) : shape;
  };
  return (
    <section
      ref={bar}
      aria-label={t`Selected documents`}
      className="sticky top-14 z-20 flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg border-line border-b bg-paper px-4 py-0.5 sm:px-6"
    >
      <Checkbox
        className="-my-2 min-h-10 items-center! py-2"
        checked={here === shown && shown > 0}
        indeterminate={here > 0 && here < shown}
        onCheckedChange={props.onAll}
        label={
          selected === 0 ? (
            t`Select all`
          ) : (
            <span className="font-medium">
              {plural(selected, { one: "# document selected", other: "# documents selected" })}
            </span>
          )
        }
      />
      {selected > 0 && (
        <>
          {matching !== null && here === shown && selected < matching && (
            <button
              type="button"
              disabled={busy}
              onClick={props.onAllMatching}
              className="tap min-h-7 text-sm underline underline-offset-2"
            >
              {t`Choose all ${all}`}
            </button>
          )}
          {selected > here && <span className="text-quiet text-sm">{t`${elsewhere} not shown here`}</span>}
          {props.note}
          <span className="ml-auto flex flex-wrap gap-2 max-sm:gap-1">
            {props.actions.map(button)}
            {button({ label: t({ context: "selection", message: "Clear" }), icon: <X aria-hidden />, onClick: clear })}
          </span>
        </>
      )}
    </section>
  );
}
