import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useEffectEvent } from "react";
import { policiesQuery } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { PolicyChooser } from "@/features/policies/PolicyChooser";
import { numberText } from "@/lib/numbers";
import { PanelHead } from "./PanelHead";

interface PolicyPaneProps {
  region: RefObject<HTMLDivElement | null>;
  /** The policy that was chosen. */
  name: string | null;
  onSearch: (policy: string) => void;
  search: { readonly isPending: boolean; readonly error: Error | null };
  onClose: () => void;
  /** The hits. */
  children: ReactNode;
}

/** The frame of the panel: the choice of a policy, and how its search goes. */
export function PolicyPane({ region, name, onSearch, search, onClose, children }: PolicyPaneProps) {
  // The policies may load a moment later; until then the panel itself has the focus.
  const known = useQuery({ ...policiesQuery, enabled: false }).data !== undefined;
  const focusFirst = useEffectEvent(() => {
    const { current } = region;
    if (current?.contains(document.activeElement) && document.activeElement !== current) return;
    (current?.querySelector<HTMLElement>("[role=combobox]") ?? current)?.focus({ preventScroll: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is open, and once they are there
  useEffect(() => focusFirst(), [known]);

  const { isPending } = search;
  useEffect(() => {
    if (isPending) announce(t`Searching the document`);
  }, [isPending]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one control, and this is a part of the page
    <div
      ref={region}
      role="region"
      aria-label={t`Mark by a policy`}
      tabIndex={-1}
      className="flex max-h-full min-h-0 flex-1 flex-col gap-3 outline-none max-md:gap-2"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <PanelHead title={t`Mark by a policy`} close={t`Close policies`} onClose={onClose} />
      <PolicyChooser value={name} onValueChange={onSearch} />
      {search.isPending && <Skeleton lines={3} />}
      {search.error && (
        <ErrorPanel
          title={t`The document could not be searched.`}
          problem={search.error}
          onRetry={() => name !== null && onSearch(name)}
        />
      )}
      {children}
    </div>
  );
}

/** The document has changed: the hits may be incomplete. */
export function ChangedSince({ onSearch }: { onSearch: () => void }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      {t`The text has changed since the search.`}
      <Button size="sm" onClick={onSearch}>
        {t`Search again`}
      </Button>
    </p>
  );
}

/** No hit is left to decide on: all are marked, or their text is deleted. Both were announced. */
export function NothingOpen({ hits, gone = 0 }: { hits: number; gone?: number }) {
  const marked = hits - gone;
  return (
    <p className="text-sm">
      {hits === 0
        ? t`The policy finds nothing in this document.`
        : gone === 0
          ? plural(hits, { one: "All # hit is marked.", other: "All # hits are marked." })
          : t`No hits left: ${plural(marked, { one: "# marked", other: "# marked" })}, ${plural(gone, { one: "# deleted", other: "# deleted" })}.`}
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
      {marked > 0 && `${plural(marked, { one: "# more is already marked.", other: "# more are already marked." })} `}
      {limit !== null && `${t`Only the first ${{ limit: numberText(limit) }} hits are listed.`} `}
      {limit !== null && marked > 0 && limit < MOST_HITS && (
        <button type="button" onClick={onMore} className="underline decoration-edge underline-offset-2 hover:text-ink">
          {t`List more`}
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
