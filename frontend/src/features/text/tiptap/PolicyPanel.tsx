import { useMutation } from "@tanstack/react-query";
import type { Node } from "@tiptap/pm/model";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { LabelSetShown } from "@/api/labels";
import { type Preview, previewInText } from "@/api/policies";
import { announce } from "@/components/announce";
import { HitReview } from "@/features/policies/HitReview";
import { onAgain, onAll, onceMarked, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { given, rankIn } from "@/features/workspace/panels/carried";
import { PlaceText } from "@/features/workspace/panels/PlaceText";
import { Beyond, ChangedSince, limitBeyond, NothingOpen, PolicyPane } from "@/features/workspace/panels/PolicyPane";
import { countText } from "@/lib/prose";
import { textSpans } from "./engine/bulk";
import { comparedText } from "./engine/compared-text";
import { useLabels } from "./labels";
import { type PlacedHit, placed, standingsOf } from "./policy-hits";
import { revealCurrent, useHighlights } from "./use-highlights";
import { useWatched, useWorkbench } from "./workbench";

interface Looked extends Omit<Preview<never>, "hits"> {
  /** What was asked about, and for how many hits. */
  readonly text: string;
  readonly limit: number;
  readonly hits: readonly PlacedHit[];
  /** On those that were decided on in the look before. */
  readonly verdicts: Verdicts;
}

/** Marks by a policy: its hits are shown in the text, each is accepted or rejected, and the accepted marked in one step. */
export function PolicyPanel({ onClose }: { onClose: () => void }) {
  const { watch } = useWorkbench();
  const { doc } = useWatched();
  const [name, setName] = useState<string | null>(null);
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  const before = useRef<Looked | null>(null);
  const looking = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit }: { policy: string; limit: number }): Promise<Looked> => {
      const { text } = comparedText(watch.now().doc, "exact");
      const { hits, ...rest } = await previewInText(policy, text, { limit });
      const now = placed(text, hits);
      const old = before.current?.text === text ? before.current.hits : [];
      const again = onAgain(verdicts, old, now, ({ rule, from, to }) => `${from} ${to} ${rule}`);
      return { ...rest, limit, text, hits: now, verdicts: again };
    },
  });
  const look = (policy: string, marked = 0) => {
    setName(policy);
    // Of the latest look alone: another policy may be chosen before the first has answered.
    const onSuccess = (looked: Looked) => {
      before.current = looked;
      setVerdicts(looked.verdicts);
      const { hits } = looked;
      announce(hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits"));
    };
    looking.mutate({ policy, limit: limitBeyond(marked) }, { onSuccess });
  };
  const region = useRef<HTMLDivElement>(null);
  const looked = looking.isPending ? undefined : looking.data;
  const standings = useMemo(() => (looked ? standingsOf(doc, looked.text, looked.hits) : null), [doc, looked]);
  return (
    <PolicyPane region={region} name={name} onLook={(policy) => look(policy)} looking={looking} onClose={onClose}>
      {looked && !standings && <ChangedSince onLook={() => name !== null && look(name)} />}
      {looked && standings && standings.open.length === 0 && (
        <>
          <NothingOpen hits={looked.hits.length} />
          {looked.more && (
            <Beyond
              marked={looked.hits.length}
              limit={looked.limit}
              onMore={() => name !== null && look(name, looked.hits.length)}
            />
          )}
        </>
      )}
      {looked && standings && standings.open.length > 0 && (
        <Hits
          key={looking.submittedAt}
          looked={looked}
          open={standings.open}
          verdicts={verdicts}
          onVerdicts={setVerdicts}
          onMore={(marked) => name !== null && look(name, marked)}
          // The button is gone where nothing is left to decide.
          onMarked={() => region.current?.focus({ preventScroll: true })}
        />
      )}
    </PolicyPane>
  );
}

interface HitsProps {
  looked: Looked;
  /** Indexes of the hits that are not marked. */
  open: readonly number[];
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  onMore: (marked: number) => void;
  onMarked: () => void;
}

function Hits({ looked, open, verdicts, onVerdicts, onMore, onMarked }: HitsProps) {
  const { editor, watch } = useWorkbench();
  const { doc } = useWatched();
  const labels = useLabels();
  const [at, setAt] = useState({ index: open[0] ?? -1, turn: 0 });
  const hits = useMemo(() => open.map((index) => looked.hits[index] as PlacedHit), [open, looked]);
  const current = open.indexOf(at.index);
  // What is rejected looks as it will be: plain.
  const shown = useMemo(
    () => ({
      doc,
      places: open.flatMap((index) => (verdicts.get(index) === "rejected" ? [] : (looked.hits[index] ?? []))),
    }),
    [doc, open, looked, verdicts],
  );
  useHighlights(editor, shown, shown.places.indexOf(looked.hits[at.index] as PlacedHit));
  const ofShown = useMemo(() => onThese(verdicts, open), [open, verdicts]);
  const go = (row: number) => {
    const index = open[row];
    if (index !== undefined) setAt(({ turn }) => ({ index, turn: turn + 1 }));
  };
  const reveals = useEffectEvent(() => {
    const hit = looked.hits[at.index];
    return hit ? revealCurrent(editor, comparedText(doc, "exact").positionFrom(hit.from)) : undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move is shown once
  useEffect(() => reveals(), [at]);

  const mark = () => {
    const now = watch.now().doc;
    // Typed meanwhile: it is looked through again first.
    if (comparedText(now, "exact").text !== looked.text) return;
    const accepted = hits.filter((_, row) => ofShown.get(row) === "accepted");
    editor.commands.markPlaces(accepted);
    labels?.change({ spans: labelsOf(accepted, watch.now().doc, labels.set), raises: true });
    onVerdicts(onceMarked(verdicts));
    onMarked();
  };
  const marked = looked.hits.length - open.length;
  return (
    <>
      <Beyond marked={marked} limit={looked.more ? looked.limit : null} onMore={() => onMore(marked)} />
      <HitReview
        hits={hits}
        verdicts={ofShown}
        onVerdicts={(next) => onVerdicts(onAll(next, open))}
        current={current}
        onCurrent={go}
        show={(hit) => <PlaceText doc={doc} place={hit} standing="plain" />}
        onOpen={go}
        onMark={mark}
      />
    </>
  );
}

/** The spans that hold these hits, each with the highest label of theirs. */
function labelsOf(hits: readonly PlacedHit[], doc: Node, set: LabelSetShown): Map<number, string> {
  const rank = rankIn(set);
  const found = new Map<number, string>();
  const spans = textSpans(doc);
  let index = 0;
  for (const { from, label: named } of hits) {
    const label = given(set, named);
    while ((spans[index]?.to ?? Number.POSITIVE_INFINITY) <= from) index++;
    const span = spans[index];
    if (!span || span.from > from || label === undefined) continue;
    const before = found.get(span.id);
    if (before === undefined || rank(label) > rank(before)) found.set(span.id, label);
  }
  return found;
}
