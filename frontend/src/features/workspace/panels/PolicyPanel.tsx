import { plural, t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { announce } from "@/components/announce";
import { HitReview } from "@/features/policies/HitReview";
import { onAgain, onAll, onceMarked, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { Beyond, ChangedSince, limitBeyond, NothingOpen, PolicyPane } from "./PolicyPane";
import type { PolicyFound, PolicyHit, PolicySearch } from "./policy-search";
import type { Surface } from "./surface";

interface Searched<Place> extends PolicyFound<Place> {
  readonly limit: number;
  /** On the hits that the search before found, too. */
  readonly verdicts: Verdicts;
}

interface Wanted {
  readonly policy: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A hit that is not marked yet. */
interface OpenHit<Place> extends PolicyHit {
  /** Where it is now. */
  readonly place: Place;
  /** Among all hits. */
  readonly index: number;
}

interface ShownProps<Place> {
  surface: Surface<Place>;
  /** A hit on one line. */
  show: (hit: OpenHit<Place>) => ReactNode;
  /** Marks the accepted hits as their rules say. */
  onMark: (accepted: readonly OpenHit<Place>[]) => void;
  /** Goes to a hit that the author opens, if highlighting it does not show it. */
  onJump?: (place: Place) => void;
}

interface PolicyPanelProps<Place> extends ShownProps<Place> {
  search: PolicySearch<Place>;
  onClose: () => void;
}

/** Marks a document by a policy: the author accepts or rejects each hit, and marks all accepted hits in one step. */
export function PolicyPanel<Place>({ search, onClose, ...shown }: PolicyPanelProps<Place>) {
  const { surface } = shown;
  const [name, setName] = useState<string | null>(null);
  /** The current search: the author may choose another policy before it answers. */
  const asked = useRef<AbortController | null>(null);
  /** By the index among all hits: hits that are marked meanwhile are not shown, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  /** The last search that answered; its tracker ends when the next one has. */
  const before = useRef<Searched<Place> | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const searching = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit, signal }: Wanted): Promise<Searched<Place>> => {
      const found = await search(policy, limit, signal);
      const { tracker, hits } = found;
      if (signal.aborted) {
        tracker.end();
        throw signal.reason;
      }
      // Both in the document as it is now.
      const old = before.current?.hits.map((hit) => nameOf(hit, before.current?.tracker.place(hit)));
      const now = hits.map((hit) => nameOf(hit, tracker.place(hit)));
      const again = onAgain(verdicts, old ?? [], now, (hit) => hit ?? "");
      before.current?.tracker.end();
      before.current = { ...found, limit, verdicts: again };
      return before.current;
    },
  });
  useEffect(
    () => () => {
      asked.current?.abort();
      before.current?.tracker.end();
      surface.highlight([], -1);
    },
    [surface],
  );
  const look = (policy: string, marked = 0) => {
    setName(policy);
    surface.highlight([], -1);
    asked.current?.abort();
    asked.current = new AbortController();
    const onSuccess = ({ hits, missing, verdicts }: Searched<Place>) => {
      setVerdicts(verdicts);
      announce(
        [hits.length === 0 ? t`No hits` : plural(hits.length, { one: "# hit", other: "# hits" }), ...missing].join(
          ". ",
        ),
      );
    };
    searching.mutate({ policy, limit: limitBeyond(marked), signal: asked.current.signal }, { onSuccess });
  };
  const searched = searching.isPending ? undefined : searching.data;
  return (
    <PolicyPane region={region} name={name} onSearch={(policy) => look(policy)} search={searching} onClose={onClose}>
      {searched && <Missing sentences={searched.missing} />}
      {searched && (
        <Hits
          key={searching.submittedAt}
          {...shown}
          searched={searched}
          verdicts={verdicts}
          onVerdicts={setVerdicts}
          onSearch={(marked) => name !== null && look(name, marked)}
          onMark={(accepted) => {
            shown.onMark(accepted);
            // The button disappears once nothing is left to decide.
            region.current?.focus({ preventScroll: true });
          }}
        />
      )}
    </PolicyPane>
  );
}

interface HitsProps<Place> extends ShownProps<Place> {
  searched: Searched<Place>;
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  /** Searches again, where so many hits are marked. */
  onSearch: (marked: number) => void;
}

function Hits<Place>(props: HitsProps<Place>) {
  const { surface, searched, verdicts, onVerdicts, onSearch, show, onMark, onJump } = props;
  const { tracker, more, limit } = searched;
  const [turn, setTurn] = useState(0);
  useEffect(() => surface.onChange(() => setTurn((now) => now + 1)), [surface]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` counts the changes of text and marks
  const { open, gone } = useMemo(() => openHits(surface, searched), [surface, searched, turn]);
  const indexes = useMemo(() => open.map(({ index }) => index), [open]);
  const [at, setAt] = useState({ index: open[0]?.index ?? -1, turn: 0 });
  const current = indexes.indexOf(at.index);
  const ofOpen = useMemo(() => onThese(verdicts, indexes), [verdicts, indexes]);
  const draw = useEffectEvent(() => {
    // What is rejected looks as it will be: plain.
    const drawn = open.filter((_, row) => ofOpen.get(row) !== "rejected");
    surface.highlight(
      drawn.map(({ place }) => place),
      drawn.findIndex(({ index }) => index === at.index),
    );
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn depends on these alone
  useEffect(() => draw(), [open, ofOpen, at]);
  const reveal = useEffectEvent(() => {
    const hit = open[current];
    return hit && surface.reveal(hit.place);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move is shown once
  useEffect(() => reveal(), [at]);
  const marked = searched.hits.length - open.length - gone;
  const rest = <Beyond marked={marked} limit={more ? limit : null} onMore={() => onSearch(marked)} />;
  const changed = !tracker.isSameText() && <ChangedSince onSearch={() => onSearch(0)} />;
  if (open.length === 0) {
    return (
      <>
        {changed}
        <NothingOpen hits={searched.hits.length} gone={gone} />
        {more && rest}
      </>
    );
  }
  const go = (row: number) => setAt((before) => ({ index: indexes[row] ?? -1, turn: before.turn + 1 }));
  return (
    <>
      {changed}
      {rest}
      <HitReview
        hits={open}
        verdicts={ofOpen}
        onVerdicts={(next) => onVerdicts(onAll(next, indexes))}
        current={current}
        onCurrent={go}
        show={show}
        onOpen={(row) => {
          go(row);
          const hit = open[row];
          if (hit) onJump?.(hit.place);
        }}
        onMark={() => {
          onMark(openHits(surface, searched).open.filter(({ index }) => verdicts.get(index) === "accepted"));
          onVerdicts(onceMarked(verdicts));
        }}
      />
    </>
  );
}

/** Rules that could not search, which "no hits" would hide. */
function Missing({ sentences }: { sentences: readonly string[] }) {
  return sentences.map((says) => (
    <p key={says} className="wrap-anywhere flex items-start gap-2 text-sm">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      {says}
    </p>
  ));
}

/** Hits that are neither marked nor deleted, in the document's order; and how many are deleted. */
function openHits<Place>(
  surface: Surface<Place>,
  { tracker, hits }: PolicyFound<Place>,
): { open: OpenHit<Place>[]; gone: number } {
  const placed = hits
    .flatMap((hit, index): OpenHit<Place>[] => {
      const place = tracker.place(hit);
      return place ? [{ ...hit, place, index }] : [];
    })
    .sort((one, other) => surface.order(one.place, other.place));
  const states = surface.states(placed.map(({ place }) => place));
  return { open: placed.filter((_, at) => states[at] !== "marked"), gone: hits.length - placed.length };
}

/** Distinguishes a hit from all others: its rule, and where it is. */
function nameOf<Place>({ rule }: PolicyHit, place: Place | null | undefined): string | null {
  return place ? `${JSON.stringify(place)} ${rule}` : null;
}
