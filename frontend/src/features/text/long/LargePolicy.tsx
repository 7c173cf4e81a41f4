import type { Text } from "@codemirror/state";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { type DraftHit, previewInDraft } from "@/api/policies";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { HitReview } from "@/features/policies/HitReview";
import { onAgain, onAll, onceMarked, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { type Context, contextOf } from "@/features/text/tiptap/engine/occurrences";
import { given } from "@/features/workspace/panels/carried";
import { PlaceLine } from "@/features/workspace/panels/PlaceText";
import { Beyond, ChangedSince, limitBeyond, NothingOpen, PolicyPane } from "@/features/workspace/panels/PolicyPane";
import { useSaver } from "@/features/workspace/saving/saving";
import { countText } from "@/lib/prose";
import type { TextSpan } from "@/marked-text/markup";
import type { LargeEditor } from "./engine/editor";
import { isClassified, spansField } from "./engine/spans";
import type { LargeLabels } from "./labels";
import { LongTextTracker } from "./long-text-tracker";
import { useAfterPause } from "./use-after-pause";

interface Looked {
  readonly tracker: LongTextTracker;
  readonly hits: readonly DraftHit[];
  readonly more: boolean;
  readonly limit: number;
  /** On those that were decided on in the look before. */
  readonly verdicts: Verdicts;
}

interface Wanted {
  readonly policy: string;
  readonly limit: number;
  readonly signal: AbortSignal;
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
  /** The look that is under way: another policy may be chosen before it has answered. */
  const asked = useRef<AbortController | null>(null);
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  /** The last one that has answered; it is followed until the next one has. */
  const before = useRef<Looked | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const looking = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit, signal }: Wanted): Promise<Looked> => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved")
        throw new Problem(0, "It looks at what is saved, and the latest changes could not be saved.");
      signal.throwIfAborted();
      // At the same text as the new look.
      const placed = before.current?.hits.map((hit) => told(hit, before.current?.tracker.place(hit)));
      const tracker = new LongTextTracker(editor);
      try {
        const found = await previewInDraft(id, policy, limit, signal);
        if (found.revision !== revision) throw new Problem(0, "The document was saved meanwhile. Look again.");
        await tracker.ready();
        signal.throwIfAborted();
        const again = onAgain(
          verdicts,
          placed ?? [],
          found.hits.map((hit) => told(hit, tracker.origin(hit))),
          (hit) => hit ?? "",
        );
        before.current?.tracker.end();
        before.current = { tracker, limit, hits: found.hits, more: found.more, verdicts: again };
        return before.current;
      } catch (error) {
        tracker.end();
        throw error;
      }
    },
  });
  useEffect(
    () => () => {
      asked.current?.abort();
      before.current?.tracker.end();
      editor.showPlaces([], -1);
    },
    [editor],
  );
  const look = (policy: string, marked = 0) => {
    setName(policy);
    editor.showPlaces([], -1);
    asked.current?.abort();
    asked.current = new AbortController();
    const onSuccess = ({ hits, verdicts }: Looked) => {
      setVerdicts(verdicts);
      announce(hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits"));
    };
    looking.mutate({ policy, limit: limitBeyond(marked), signal: asked.current.signal }, { onSuccess });
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
          verdicts={verdicts}
          onVerdicts={setVerdicts}
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
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  /** Looks again, where so many hits are marked. */
  onLook: (marked: number) => void;
  onMarked: () => void;
}

function Hits({ editor, labels, looked, verdicts, onVerdicts, onLook, onMarked }: HitsProps) {
  const { tracker, more, limit } = looked;
  const turn = useAfterPause(editor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that text or spans are others
  const { open, gone } = useMemo(() => standingOf(editor, looked), [editor, looked, turn]);
  const indexes = useMemo(() => open.map(({ index }) => index), [open]);
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
  const marked = looked.hits.length - open.length - gone;
  const rest = <Beyond marked={marked} limit={more ? limit : null} onMore={() => onLook(marked)} />;
  if (open.length === 0) {
    return (
      <>
        {!tracker.isSameText() && <ChangedSince onLook={() => onLook(0)} />}
        <NothingOpen hits={looked.hits.length} gone={gone} />
        {more && rest}
      </>
    );
  }
  const go = (row: number) => setAt(indexes[row] ?? -1);
  const mark = () => {
    const accepted = standingOf(editor, looked).open.filter(({ index }) => verdicts.get(index) === "accepted");
    editor.mark(accepted);
    const places = accepted.flatMap((place) => {
      const label = labels && given(labels.set, place.label);
      return label ? [{ place, label }] : [];
    });
    labels?.change({ places, raises: true });
    onVerdicts(onceMarked(verdicts));
    onMarked();
  };
  return (
    <>
      {!tracker.isSameText() && <ChangedSince onLook={() => onLook(0)} />}
      {rest}
      <HitReview
        hits={open}
        verdicts={ofOpen}
        onVerdicts={(next) => onVerdicts(onAll(next, indexes))}
        current={current}
        onCurrent={go}
        show={(hit) => <PlaceLine context={contextIn(editor.state.doc, hit)} standing="plain" />}
        onOpen={go}
        onMark={mark}
      />
    </>
  );
}

/** Those that are neither marked nor gone, in the order of the text; and how many are gone. */
function standingOf(editor: LargeEditor, { tracker, hits }: Looked): { open: OpenHit[]; gone: number } {
  const spans = editor.state.field(spansField);
  let gone = 0;
  const open = hits
    .flatMap((hit, index): OpenHit[] => {
      const place = tracker.place(hit);
      if (!place) gone++;
      return place && !isClassified(spans, place.from, place.to) ? [{ ...hit, ...place, index }] : [];
    })
    .sort((one, other) => one.from - other.from || other.to - one.to);
  return { open, gone };
}

/** What tells a hit from the others: its rule, and where it stands. */
function told({ rule }: DraftHit, place: TextSpan | null | undefined): string | null {
  return place ? `${place.from} ${place.to} ${rule}` : null;
}

/** More than is told of a place and around it. */
const AROUND = 200;

function contextIn(doc: Text, { from, to }: TextSpan): Context {
  const start = Math.max(0, from - AROUND);
  const text = doc.sliceString(start, Math.min(doc.length, Math.min(to, from + AROUND) + AROUND), "\n");
  return contextOf({ text }, { from: from - start, to: Math.min(to - start, text.length) });
}
