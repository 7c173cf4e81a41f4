import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useEffectEvent } from "react";
import { policiesQuery } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { PolicyChooser } from "@/features/policies/PolicyChooser";
import { countText } from "@/lib/prose";
import { PanelHead } from "./PanelHead";

interface PolicyPaneProps {
  region: RefObject<HTMLDivElement | null>;
  /** The policy that was chosen. */
  name: string | null;
  onLook: (policy: string) => void;
  looking: { readonly isPending: boolean; readonly error: Error | null };
  onClose: () => void;
  /** What was found. */
  children: ReactNode;
}

/** The panel in which a policy is chosen to mark by, whatever editor the text is in. */
export function PolicyPane({ region, name, onLook, looking, onClose, children }: PolicyPaneProps) {
  // What there is to choose from comes a moment later; until then the panel itself has the focus.
  const known = useQuery({ ...policiesQuery, enabled: false }).data !== undefined;
  const focusFirst = useEffectEvent(() => {
    const { current } = region;
    if (current?.contains(document.activeElement) && document.activeElement !== current) return;
    (current?.querySelector<HTMLElement>("[role=combobox]") ?? current)?.focus({ preventScroll: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is open, and once they are there
  useEffect(() => focusFirst(), [known]);

  const { isPending } = looking;
  useEffect(() => {
    if (isPending) announce("Searching the text");
  }, [isPending]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one control, and this is a place of the page
    <div
      ref={region}
      role="region"
      aria-label="Mark by a policy"
      tabIndex={-1}
      className="flex max-h-full min-h-0 flex-1 flex-col gap-3 outline-none max-md:gap-2"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <PanelHead title="Mark by a policy" close="Close policies" onClose={onClose} />
      <PolicyChooser value={name} onValueChange={onLook} />
      {looking.isPending && <Skeleton lines={3} />}
      {looking.error && (
        <ErrorPanel
          title="The text could not be searched."
          problem={looking.error}
          onRetry={() => name !== null && onLook(name)}
        />
      )}
      {children}
    </div>
  );
}

/** What was found is of another text. */
export function ChangedSince({ onLook }: { onLook: () => void }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      The text has changed since the search.
      <Button size="sm" onClick={onLook}>
        Search again
      </Button>
    </p>
  );
}

/** Of so many hits none is left to decide on: they are marked, or their text is deleted. What led there was announced. */
export function NothingOpen({ hits, gone = 0 }: { hits: number; gone?: number }) {
  const marked = (hits - gone).toLocaleString("en");
  return (
    <p className="text-sm">
      {hits === 0
        ? "The policy finds nothing in this text."
        : gone === 0
          ? `All ${countText(hits, "hit is", "hits are")} marked.`
          : `No hits left: ${marked} marked, ${gone.toLocaleString("en")} deleted.`}
    </p>
  );
}

interface BeyondProps {
  /** So many of the listed hits are marked. */
  marked: number;
  /** So many hits were asked for, if there are more. */
  limit: number | null;
  onMore: () => void;
}

/** What there is besides the hits that are listed. */
export function Beyond({ marked, limit, onMore }: BeyondProps) {
  if (marked === 0 && limit === null) return null;
  return (
    <p className="text-quiet text-sm">
      {marked > 0 && `${countText(marked, "more is", "more are")} already marked. `}
      {limit !== null && `Only the first ${limit.toLocaleString("en")} hits are listed. `}
      {limit !== null && marked > 0 && limit < MOST_HITS && (
        <button type="button" onClick={onMore} className="underline decoration-edge underline-offset-2 hover:text-ink">
          List more
        </button>
      )}
    </p>
  );
}

/** How many hits to ask for where that many are marked already. */
export function limitBeyond(marked: number): number {
  return Math.min(MOST_HITS, marked + FIRST_HITS);
}

const FIRST_HITS = 10_000;
/** As the gateway bounds it. */
const MOST_HITS = 100_000;
