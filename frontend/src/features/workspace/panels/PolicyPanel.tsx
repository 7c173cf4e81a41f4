import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { announce } from "@/components/announce";
import { HitReview, type ReviewHit } from "@/features/policies/HitReview";
import { onAgain, onAll, onceMarked, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { countText } from "@/lib/prose";
import { contextOf } from "@/marked-text/context";
import type { TextSpan } from "@/marked-text/markup";
import { PlaceLine } from "./PlaceLine";
import { Beyond, ChangedSince, limitBeyond, NothingOpen, PolicyPane } from "./PolicyPane";
import type { Hit, TextSurface, Tracker } from "./surface";

export interface PolicyHit extends ReviewHit, Hit {}

/** What a policy finds in a text. */
export interface PolicySearch {
  readonly hits: readonly PolicyHit[];
  /** There are hits beyond these. */
  readonly more: boolean;
  /** Follows the text that was searched; it is ready. */
  readonly tracker: Tracker<TextSpan>;
}

interface Searched extends PolicySearch {
  readonly limit: number;
  /** On those that were decided on in the search before. */
  readonly verdicts: Verdicts;
}

interface Wanted {
  readonly policy: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A hit that is not marked yet: its index among all hits, and where it stands now. */
export interface OpenHit extends PolicyHit, TextSpan {
  readonly index: number;
}

interface PolicyPanelProps {
  surface: TextSurface;
  search: (policy: string, limit: number, signal: AbortSignal) => Promise<PolicySearch>;
  /** Marks them, with the labels of their rules. */
  onMark: (accepted: readonly OpenHit[]) => void;
  onClose: () => void;
}

/** Marks a text by a policy: its hits are shown in the text, each is accepted or rejected, the accepted are marked at once. */
export function PolicyPanel({ surface, search, onMark, onClose }: PolicyPanelProps) {
  const [name, setName] = useState<string | null>(null);
  /** The search that is under way: another policy may be chosen before it has answered. */
  const asked = useRef<AbortController | null>(null);
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  /** The last one that has answered; it is followed until the next one has. */
  const before = useRef<Searched | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const searching = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit, signal }: Wanted): Promise<Searched> => {
      const found = await search(policy, limit, signal);
      const { tracker, hits } = found;
      if (signal.aborted) {
        tracker.end();
        throw signal.reason;
      }
      // Both in the text as it is now.
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
    const onSuccess = ({ hits, verdicts }: Searched) => {
      setVerdicts(verdicts);
      announce(hits.length === 0 ? "No hits" : countText(hits.length, "hit", "hits"));
    };
    searching.mutate({ policy, limit: limitBeyond(marked), signal: asked.current.signal }, { onSuccess });
  };
  const searched = searching.isPending ? undefined : searching.data;
  return (
    <PolicyPane region={region} name={name} onLook={(policy) => look(policy)} looking={searching} onClose={onClose}>
      {searched && (
        <Hits
          key={searching.submittedAt}
          surface={surface}
          searched={searched}
          verdicts={verdicts}
          onVerdicts={setVerdicts}
          onSearch={(marked) => name !== null && look(name, marked)}
          onMark={(accepted) => {
            onMark(accepted);
            // The button is gone where nothing is left to decide.
            region.current?.focus({ preventScroll: true });
          }}
        />
      )}
    </PolicyPane>
  );
}

interface HitsProps {
  surface: TextSurface;
  searched: Searched;
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  /** Searches again, where so many hits are marked. */
  onSearch: (marked: number) => void;
  onMark: (accepted: readonly OpenHit[]) => void;
}

function Hits({ surface, searched, verdicts, onVerdicts, onSearch, onMark }: HitsProps) {
  const { tracker, more, limit } = searched;
  const [turn, setTurn] = useState(0);
  useEffect(() => surface.onChange(() => setTurn((now) => now + 1)), [surface]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that text or marks have changed
  const { open, gone } = useMemo(() => openHits(surface, searched), [surface, searched, turn]);
  const indexes = useMemo(() => open.map(({ index }) => index), [open]);
  const [at, setAt] = useState({ index: open[0]?.index ?? -1, turn: 0 });
  const current = indexes.indexOf(at.index);
  const ofOpen = useMemo(() => onThese(verdicts, indexes), [verdicts, indexes]);
  const show = useEffectEvent(() => {
    // What is rejected looks as it will be: plain.
    const shown = open.filter((_, row) => ofOpen.get(row) !== "rejected");
    surface.highlight(
      shown,
      shown.findIndex(({ index }) => index === at.index),
    );
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is shown of them is one of these
  useEffect(() => show(), [open, ofOpen, at]);
  const reveal = useEffectEvent(() => {
    const hit = open[current];
    return hit && surface.reveal(hit);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move is shown once
  useEffect(() => reveal(), [at]);
  const marked = searched.hits.length - open.length - gone;
  const rest = <Beyond marked={marked} limit={more ? limit : null} onMore={() => onSearch(marked)} />;
  const changed = !tracker.isSameText() && <ChangedSince onLook={() => onSearch(0)} />;
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
        show={(hit) => <PlaceLine context={contextOf(surface.text(), hit)} state="plain" />}
        onOpen={go}
        onMark={() => {
          onMark(openHits(surface, searched).open.filter(({ index }) => verdicts.get(index) === "accepted"));
          onVerdicts(onceMarked(verdicts));
        }}
      />
    </>
  );
}

/** Those that are neither marked nor deleted, in the order of the text; and how many are deleted. */
function openHits(surface: TextSurface, { tracker, hits }: PolicySearch): { open: OpenHit[]; gone: number } {
  const placed = hits
    .flatMap((hit, index): OpenHit[] => {
      const place = tracker.place(hit);
      return place ? [{ ...hit, ...place, index }] : [];
    })
    .sort((one, other) => one.from - other.from || other.to - one.to);
  const states = surface.states(placed);
  return { open: placed.filter((_, at) => states[at] !== "marked"), gone: hits.length - placed.length };
}

/** What tells a hit from the others: its rule, and where it stands. */
function nameOf({ rule }: PolicyHit, place: TextSpan | null | undefined): string | null {
  return place ? `${place.from} ${place.to} ${rule}` : null;
}
