import { Download, Mail, MailOpen, RotateCcw, Trash2, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { countText } from "@/lib/prose";
import type { EntryAction } from "./EntryRowMenu";

interface EntrySelectionBarProps {
  /** How many entries in the list are selected, and how many it shows. */
  here: number;
  shown: number;
  selected: number;
  /** How many entries match the search and the filter; null while that is unknown. */
  matching: number | null;
  deleted: boolean;
  busy: boolean;
  onAll: (on: boolean) => void;
  /** Selects all that match, not only those that are loaded. */
  onAllMatching: () => void;
  onClear: () => void;
  onAction: (action: EntryAction) => void;
}

/** A bar above the list, always in view: the number of selected entries, and actions on them. */
export function EntrySelectionBar(props: EntrySelectionBarProps) {
  const { here, shown, selected, matching, deleted, busy, onAction } = props;
  const bar = useRef<HTMLElement>(null);
  const clear = () => {
    // This button disappears with the selection.
    bar.current?.querySelector<HTMLElement>("[role=checkbox]")?.focus();
    props.onClear();
  };
  const action = (name: EntryAction, label: string, icon: ReactNode, tone: "quiet" | "danger" = "quiet") => (
    <Button
      size="sm"
      tone={tone}
      className="md:h-7 max-sm:h-10 max-sm:px-2.5"
      icon={icon}
      disabled={busy}
      onClick={() => onAction(name)}
    >
      <span className="max-lg:sr-only">{label}</span>
    </Button>
  );
  return (
    <section
      ref={bar}
      aria-label="Selected documents"
      className="sticky top-14 short:top-0 z-20 flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg border-line border-b bg-paper px-4 py-0.5 sm:px-6"
    >
      <Checkbox
        className="-my-2 min-h-10 items-center! py-2"
        checked={here === shown && shown > 0}
        indeterminate={here > 0 && here < shown}
        onCheckedChange={props.onAll}
        label={
          selected === 0 ? (
            "Select all"
          ) : (
            <span className="font-medium">{countText(selected, "document selected", "documents selected")}</span>
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
              Choose all {matching.toLocaleString("en")}
            </button>
          )}
          <span className="ml-auto flex flex-wrap gap-2 max-sm:gap-1">
            {deleted ? (
              <>
                {action("restore", "Restore", <RotateCcw aria-hidden />)}
                {action("delete forever", "Delete forever", <Trash2 aria-hidden />, "danger")}
              </>
            ) : (
              <>
                {action("read", "Mark as read", <MailOpen aria-hidden />)}
                {action("unread", "Mark as unread", <Mail aria-hidden />)}
                {action("download", "Download", <Download aria-hidden />)}
                {action("delete", "Delete", <Trash2 aria-hidden />, "danger")}
              </>
            )}
            <Button size="sm" className="md:h-7 max-sm:h-10 max-sm:px-2.5" icon={<X aria-hidden />} onClick={clear}>
              <span className="max-lg:sr-only">Clear</span>
            </Button>
          </span>
        </>
      )}
    </section>
  );
}
