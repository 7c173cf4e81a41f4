import type { Text } from "@codemirror/state";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { type DraftHit, previewInDraft } from "@/api/policies";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import type { TextSpan } from "@/editor/markup";
import { type Context, contextOf } from "@/editor/occurrences";
import { PlaceLine } from "@/features/editor/PlaceText";
import { Beyond, ChangedSince, limitBeyond, NothingOpen, PolicyPane } from "@/features/editor/PolicyPane";
import { useSaver } from "@/features/editor/saving";
import { HitReview } from "@/features/policies/HitReview";
import { onAll, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { countText } from "@/features/policies/words";
import type { LargeEditor } from "@/large/editor";
import { isClassified, spansField } from "@/large/spans";
import type { LargeLabels } from "./labels";
import { Look } from "./look";
import { useAfterPause } from "./use-after-pause";

interface Looked {
  readonly look: Look;
  readonly hits: readonly DraftHit[];
  readonly more: boolean;
  readonly limit: number;
}

/** A hit that is not marked yet: its number among all hits, and where it stands by now. */
interface OpenHit extends DraftHit, TextSpan {
  readonly index: number;
}

interface LargePolicyProps {
  id: string;
  editor: LargeEditor;
  labels: LargeLabels | null;
  onClose: () => void;
}

/** Marks a long text by a policy: the gateway looks through what is saved, each hit is accepted or rejected. */
export function LargePolicy({ id, editor, labels, onClose }: LargePolicyProps) {
  const saver = useSaver();
  const [name, setName] = useState<string | null>(null);
  const last = useRef<Look | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const looking = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit }: { policy: string; limit: number }): Promise<Looked> => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved")
        throw new Problem(0, "It looks at what is saved, and the latest changes could not be saved.");
      last.current?.end();
      const look = new Look(editor);
      last.current = look;
      const found = await previewInDraft(id, policy, limit);
      if (found.revision !== revision) throw new Problem(0, "The document was saved meanwhile. Look again.");
      await look.count();
      return { look, limit, hits: found.hits, more: found.more };
    },
    onSuccess: ({ hits }) => announce(hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits")),
  });
  useEffect(
    () => () => {
      last.current?.end();
      editor.showPlaces([], -1);
    },
    [editor],
  );
  const look = (policy: string, marked = 0) => {
    setName(policy);
    editor.showPlaces([], -1);
    looking.mutate({ policy, limit: limitBeyond(marked) });
  };
  const looked = looking.isPending ? undefined : looking.data;
  return (
    <PolicyPane region={region} name={name} onLook={(policy) => look(policy)} looking={looking} onClose={onClose}>
      {looked && (
        <Hits
          key={looking.submittedAt}
          editor={editor}
          labels={labels}
          looked={looked}
          onLook={(marked) => name !== null && look(name, marked)}
          // The button is gone where nothing is left to decide.
          onMarked={() => region.current?.focus({ preventScroll: true })}
        />
      )}
    </PolicyPane>
  );
}

interface HitsProps {
  editor: LargeEditor;
  labels: LargeLabels | null;
  looked: Looked;
  /** Looks again, where so many hits are marked. */
  onLook: (marked: number) => void;
  onMarked: () => void;
}

function Hits({ editor, labels, looked, onLook, onMarked }: HitsProps) {
  const { look, more, limit } = looked;
  const turn = useAfterPause(editor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that text or spans are others
  const open = useMemo(() => openOf(editor, looked), [editor, looked, turn]);
  const indexes = useMemo(() => open.map(({ index }) => index), [open]);
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  const [at, setAt] = useState(open[0]?.index ?? -1);
  const current = indexes.indexOf(at);
  const ofOpen = useMemo(() => onThese(verdicts, indexes), [verdicts, indexes]);
  const show = useEffectEvent(() => {
    // What is rejected looks as it will be: plain. Typed meanwhile: they are drawn anew in a moment.
    const shown = open.filter(({ to }, row) => ofOpen.get(row) !== "rejected" && to <= editor.state.doc.length);
    editor.showPlaces(
      shown,
      shown.findIndex(({ index }) => index === at),
    );
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is shown of them is one of these
  useEffect(() => show(), [open, ofOpen, at]);
  const marked = looked.hits.length - open.length;
  const rest = <Beyond marked={marked} limit={more ? limit : null} onMore={() => onLook(marked)} />;
  if (open.length === 0) {
    return (
      <>
        <NothingOpen hits={looked.hits.length} />
        {more && rest}
      </>
    );
  }
  const go = (row: number) => setAt(indexes[row] ?? -1);
  const mark = () => {
    const accepted = openOf(editor, looked).filter(({ index }) => verdicts.get(index) === "accepted");
    editor.mark(accepted);
    const named = labels?.set.labels.map(({ name }) => name) ?? [];
    const places = accepted.flatMap((place) => (named.includes(place.label) ? [{ place, label: place.label }] : []));
    labels?.change({ places });
    setVerdicts(new Map([...verdicts].filter(([, verdict]) => verdict === "rejected")));
    onMarked();
  };
  return (
    <>
      {!look.isSameText() && <ChangedSince onLook={() => onLook(0)} />}
      {rest}
      <HitReview
        hits={open}
        verdicts={ofOpen}
        onVerdicts={(next) => setVerdicts(onAll(next, indexes))}
        current={current}
        onCurrent={go}
        show={(hit) => <PlaceLine context={contextIn(editor.state.doc, hit)} standing="plain" />}
        onOpen={go}
        onMark={mark}
      />
    </>
  );
}

/** Those that are neither marked nor gone, in the order of the text. */
function openOf(editor: LargeEditor, { look, hits }: Looked): OpenHit[] {
  const spans = editor.state.field(spansField);
  return hits
    .flatMap((hit, index): OpenHit[] => {
      const place = look.place(hit);
      return place && !isClassified(spans, place.from, place.to) ? [{ ...hit, ...place, index }] : [];
    })
    .sort((one, other) => one.from - other.from || other.to - one.to);
}

/** More than is told of a place and around it. */
const AROUND = 200;

function contextIn(doc: Text, { from, to }: TextSpan): Context {
  const start = Math.max(0, from - AROUND);
  const text = doc.sliceString(start, Math.min(doc.length, Math.min(to, from + AROUND) + AROUND), "\n");
  return contextOf({ text }, { from: from - start, to: Math.min(to - start, text.length) });
}
