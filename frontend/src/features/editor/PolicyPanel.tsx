import { useMutation, useQuery } from "@tanstack/react-query";
import type { Node } from "@tiptap/pm/model";
import { X } from "lucide-react";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { LabelShown } from "@/api/labels";
import { type Preview, policiesQuery, previewInText } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { Skeleton } from "@/components/ui/Skeleton";
import { textSpans } from "@/editor/bulk";
import { comparedText } from "@/editor/compared-text";
import { HitReview } from "@/features/policies/HitReview";
import { PolicyChooser } from "@/features/policies/PolicyChooser";
import { onAll, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { countText } from "@/features/policies/words";
import { useLabels } from "./labels";
import { PlaceText } from "./PlaceText";
import { type PlacedHit, placed, standingsOf } from "./policy-hits";
import { revealCurrent, useHighlights } from "./use-highlights";
import { useWatched, useWorkbench } from "./workbench";

interface Looked extends Omit<Preview<never>, "hits"> {
  /** What was asked about. */
  readonly text: string;
  readonly hits: readonly PlacedHit[];
}

/** Marks by a policy: its hits are shown in the text, each is accepted or rejected, and the accepted marked in one step. */
export function PolicyPanel({ onClose }: { onClose: () => void }) {
  const { watch } = useWorkbench();
  const { doc } = useWatched();
  const [name, setName] = useState<string | null>(null);
  const looking = useMutation({
    mutationFn: async (policy: string): Promise<Looked> => {
      const { text } = comparedText(watch.now().doc, "exact");
      const { hits, ...rest } = await previewInText(policy, text);
      return { ...rest, text, hits: placed(text, hits) };
    },
    onSuccess: ({ hits }) => announce(hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits")),
  });
  const look = (policy: string) => {
    setName(policy);
    looking.mutate(policy);
  };
  const region = useRef<HTMLDivElement>(null);
  // What there is to choose from comes a moment later; until then the panel itself has the focus.
  const known = useQuery({ ...policiesQuery, enabled: false }).data !== undefined;
  const focusFirst = useEffectEvent(() => {
    const { current } = region;
    if (current?.contains(document.activeElement) && document.activeElement !== current) return;
    (current?.querySelector<HTMLElement>("[role=combobox]") ?? current)?.focus({ preventScroll: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is open, and once they are there
  useEffect(() => focusFirst(), [known]);

  const looked = looking.isPending ? undefined : looking.data;
  const standings = useMemo(() => (looked ? standingsOf(doc, looked.text, looked.hits) : null), [doc, looked]);
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
      <div className="flex items-center justify-between">
        <h2 className="font-medium text-sm">Mark by a policy</h2>
        <IconButton label="Close the policies" icon={<X />} size="sm" onClick={onClose} />
      </div>
      <PolicyChooser value={name} onValueChange={look} />
      {looking.isPending && <Skeleton label="Looking" lines={3} />}
      {looking.error && (
        <ErrorPanel
          title="The text could not be looked through."
          problem={looking.error}
          onRetry={() => name !== null && look(name)}
        />
      )}
      {looked && !standings && (
        <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          The text has changed since.
          <Button size="sm" onClick={() => name !== null && look(name)}>
            Look again
          </Button>
        </p>
      )}
      {looked && standings && standings.open.length === 0 && (
        <p role="status" className="text-sm">
          {looked.hits.length === 0
            ? "It finds nothing in this text."
            : `All ${countText(looked.hits.length, "hit is", "hits are")} marked.`}
        </p>
      )}
      {looked && standings && standings.open.length > 0 && (
        <Hits
          key={looking.submittedAt}
          looked={looked}
          open={standings.open}
          // The button is gone where nothing is left to decide.
          onMarked={() => region.current?.focus({ preventScroll: true })}
        />
      )}
    </div>
  );
}

interface HitsProps {
  looked: Looked;
  /** Indexes of the hits that are not marked. */
  open: readonly number[];
  onMarked: () => void;
}

function Hits({ looked, open, onMarked }: HitsProps) {
  const { editor, watch } = useWorkbench();
  const { doc } = useWatched();
  const labels = useLabels();
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
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
    labels?.change({ spans: labelsOf(accepted, watch.now().doc, labels.set.labels) });
    setVerdicts(new Map([...verdicts].filter(([, verdict]) => verdict === "rejected")));
    onMarked();
  };
  const marked = looked.hits.length - open.length;
  return (
    <>
      {(marked > 0 || looked.more) && (
        <p className="text-quiet text-sm">
          {marked > 0 && `${countText(marked, "more is", "more are")} marked already. `}
          {looked.more && "There are more than these: mark what you accept, and look again."}
        </p>
      )}
      <HitReview
        hits={hits}
        verdicts={ofShown}
        onVerdicts={(next) => setVerdicts(onAll(next, open))}
        current={current}
        onCurrent={go}
        show={(hit) => <PlaceText doc={doc} place={hit} standing="plain" />}
        onOpen={go}
        onMark={mark}
      />
    </>
  );
}

/** The spans that hold these hits, each with the highest label of theirs that the gateway knows. */
function labelsOf(hits: readonly PlacedHit[], doc: Node, known: readonly LabelShown[]): Map<number, string> {
  const ranks = new Map(known.map(({ name, rank }) => [name, rank]));
  const rank = (label: string | undefined) => ranks.get(label ?? "") ?? Number.NEGATIVE_INFINITY;
  const found = new Map<number, string>();
  const spans = textSpans(doc);
  let index = 0;
  for (const { from, label } of hits) {
    while ((spans[index]?.to ?? Number.POSITIVE_INFINITY) <= from) index++;
    const span = spans[index];
    if (span && span.from <= from && ranks.has(label) && rank(label) > rank(found.get(span.id)))
      found.set(span.id, label);
  }
  return found;
}
