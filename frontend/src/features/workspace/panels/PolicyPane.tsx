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
  /** The hits. */
  children: ReactNode;
}

/** The frame of the panel: the choice of a policy, and how its search goes. */
export function PolicyPane({ region, name, onLook, looking, onClose, children }: PolicyPaneProps) {
  // The policies may load a moment later; until then the panel itself has the focus.
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
    if (isPending) announce("Searching the document");
  }, [isPending]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one control, and this is a part of the page
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
          title="The document could not be searched."
          problem={looking.error}
          onRetry={() => name !== null && onLook(name)}
        />
      )}
      {children}
    </div>
  );
}

/** The document has changed: the hits may be incomplete. */
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

/** No hit is left to decide on: all are marked, or their text is deleted. Both were announced. */
export function NothingOpen({ hits, gone = 0 }: { hits: number; gone?: number }) {
  const marked = (hits - gone).toLocaleString("en");
  return (
    <p className="text-sm">
      {hits === 0
        ? "The policy finds nothing in this document."
        : gone === 0
          ? `All ${countText(hits, "hit is", "hits are")} marked.`
          : `No hits left: ${marked} marked, ${gone.toLocaleString("en")} deleted.`}
    </p>
  );
}

interface BeyondProps {
  /** How many of the listed hits are marked. */
  marked: number;
  /** How many hits were requested, if there are more. */
  limit: number | null;
  onMore: () => void;
}

/** The hits that are not listed. */
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

/** How many hits to request when so many are marked already. */
export function limitBeyond(marked: number): number {
  return Math.min(MOST_HITS, marked + FIRST_HITS);
}

const FIRST_HITS = 10_000;
/** The gateway's limit. */
const MOST_HITS = 100_000;
