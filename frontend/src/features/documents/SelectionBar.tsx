import { Send, X } from "lucide-react";
import { useRef } from "react";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";

/** The most documents that the gateway sends together. */
const MAX_BATCH = 64;

interface SelectionBarProps {
  /** How many documents in the list are selected, and how many it shows. */
  here: number;
  shown: number;
  selected: readonly DraftShown[];
  onAll: (on: boolean) => void;
  onClear: () => void;
  onSend: () => void;
}

/** A bar above the list, always in view: the number of selected documents, and actions on them. */
export function SelectionBar({ here, shown, selected, onAll, onClear, onSend }: SelectionBarProps) {
  const count = selected.length;
  const elsewhere = count - here;
  const tooMany = count > MAX_BATCH;
  const bar = useRef<HTMLElement>(null);
  const clear = () => {
    // This button disappears with the selection.
    bar.current?.querySelector<HTMLElement>("[role=checkbox]")?.focus();
    onClear();
  };
  return (
    <section
      ref={bar}
      aria-label="Selected documents"
      className="sticky top-14 short:top-0 z-20 flex min-h-10 flex-wrap items-center gap-x-4 gap-y-2 rounded-t-lg border-line border-b bg-paper px-4 py-0.5 max-md:py-2 sm:px-6"
    >
      <Checkbox
        className="-my-2 min-h-10 items-center! py-2"
        checked={here === shown && shown > 0}
        indeterminate={here > 0 && here < shown}
        onCheckedChange={onAll}
        label={
          count === 0 ? (
            <>
              Select all <span className="text-quiet max-sm:hidden">or some, to send together</span>
            </>
          ) : (
            <span className="font-medium">
              {count} <span className="max-sm:sr-only">{count === 1 ? "document" : "documents"}</span> selected
            </span>
          )
        }
      />
      {count > 0 && (
        <>
          {elsewhere > 0 && <span className="text-quiet text-sm">{elsewhere} not shown here</span>}
          {tooMany && <span className="text-danger text-sm">You can send up to {MAX_BATCH} documents together.</span>}
          <span className="ml-auto flex gap-2">
            <Button size="sm" className="max-sm:h-10" icon={<X aria-hidden />} onClick={clear}>
              Clear
            </Button>
            <Button
              size="sm"
              className="max-sm:h-10"
              tone="primary"
              icon={<Send aria-hidden />}
              disabled={tooMany}
              onClick={onSend}
            >
              {count === 1 ? "Send" : `Send ${count}`}
            </Button>
          </span>
        </>
      )}
    </section>
  );
}
