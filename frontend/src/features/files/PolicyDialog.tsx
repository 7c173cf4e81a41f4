import { useMutation, useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { type DraftHit, type DraftPreview, policiesQuery, previewInDraft } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { HitReview } from "@/features/policies/HitReview";
import { PolicyChooser } from "@/features/policies/PolicyChooser";
import { onAgain, onAll, onceMarked, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { Beyond, limitBeyond } from "@/features/workspace/panels/PolicyPane";
import { countText } from "@/lib/prose";
import { whereText } from "./model/where";
import { useMarks, useOpenFile } from "./open-file";

interface PolicyDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Marks by a policy: each hit is accepted or rejected, and what is accepted is marked in one step. */
export function PolicyDialog({ open, onOpenChange }: PolicyDialogProps) {
  const { id } = useOpenFile();
  const [name, setName] = useState<string | null>(null);
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
  const before = useRef<readonly DraftHit[]>([]);
  const looking = useMutation({
    gcTime: 0, // it holds the text
    onMutate: () => announce("Searching the file"),
    mutationFn: async ({ policy, limit }: { policy: string; limit: number }): Promise<Looked> => ({
      ...(await previewInDraft(id, policy, limit)),
      limit,
    }),
  });
  // What is asked first is there only once the policies are loaded; the dialog's own choice of a focus came before.
  const body = useRef<HTMLDivElement>(null);
  const loaded = useQuery({ ...policiesQuery, enabled: false }).isSuccess;
  useEffect(() => {
    if (!open || !loaded) return;
    const frame = requestAnimationFrame(() => body.current?.querySelector<HTMLElement>("[role=combobox]")?.focus());
    return () => cancelAnimationFrame(frame);
  }, [open, loaded]);
  const look = (policy: string, marked = 0) => {
    setName(policy);
    // Of the latest look alone: another policy may be chosen before the first has answered.
    const onSuccess = ({ hits, missing }: Looked) => {
      setVerdicts(onAgain(verdicts, before.current, hits, told));
      before.current = hits;
      announce([hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits"), ...missing].join(". "));
    };
    looking.mutate({ policy, limit: limitBeyond(marked) }, { onSuccess });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Mark by a policy"
      footer={<Button onClick={() => onOpenChange(false)}>Close</Button>}
    >
      <div ref={body} className="flex flex-col gap-4">
        <PolicyChooser value={name} onValueChange={(policy) => look(policy)} />
        {looking.isPending && <Skeleton lines={3} />}
        {looking.error && (
          <ErrorPanel
            title="The file could not be searched."
            problem={looking.error}
            onRetry={() => name !== null && look(name)}
          />
        )}
        {looking.data && !looking.isPending && <Missing sentences={looking.data.missing} />}
        {looking.data && !looking.isPending && (
          <Hits
            key={looking.submittedAt}
            looked={looking.data}
            verdicts={verdicts}
            onVerdicts={setVerdicts}
            onMore={(marked) => name !== null && look(name, marked)}
          />
        )}
      </div>
    </Dialog>
  );
}

interface Looked extends DraftPreview {
  /** So many hits were asked for. */
  readonly limit: number;
}

interface HitsProps {
  looked: Looked;
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  onMore: (marked: number) => void;
}

function Hits({ looked, verdicts, onVerdicts, onMore }: HitsProps) {
  const studio = useOpenFile();
  const { index } = useMarks();
  const [current, setCurrent] = useState(0);
  const open = useMemo(
    () =>
      looked.hits.flatMap(({ address, start, end }, at) => {
        if (index.covering(address) !== null) return [];
        if (start === null || end === null) return [at];
        return index.ranges(address).some((range) => range.start <= start && end <= range.end) ? [] : [at];
      }),
    [looked, index],
  );
  const hits = useMemo(() => open.flatMap((at) => looked.hits[at] ?? []), [open, looked]);
  const marked = looked.hits.length - open.length;
  const beyond = looked.more && <Beyond marked={marked} limit={looked.limit} onMore={() => onMore(marked)} />;
  if (open.length === 0) {
    return (
      <>
        <p className="text-sm">
          {looked.hits.length === 0
            ? "The policy finds nothing in this file."
            : `All ${countText(looked.hits.length, "hit is", "hits are")} marked.`}
        </p>
        {beyond}
      </>
    );
  }
  return (
    <>
      {beyond}
      <div className="flex h-[50dvh] flex-col">
        <HitReview
          hits={hits}
          verdicts={onThese(verdicts, open)}
          onVerdicts={(next) => onVerdicts(onAll(next, open))}
          current={current}
          onCurrent={setCurrent}
          show={(hit) => (
            <>
              <span className="font-serif">{hit.text || "(no text)"}</span>{" "}
              <span className="text-quiet text-xs">{whereText(studio.format, hit.address)}</span>
            </>
          )}
          onOpen={setCurrent}
          onMark={() => {
            const accepted = open.flatMap((at) => (verdicts.get(at) === "accepted" ? (looked.hits[at] ?? []) : []));
            studio.add(accepted, countText(accepted.length, "hit", "hits"));
            onVerdicts(onceMarked(verdicts));
            setCurrent(0);
          }}
        />
      </div>
    </>
  );
}

/** Where a rule could look at nothing, which "no hit" would hide. */
function Missing({ sentences }: { sentences: readonly string[] }) {
  return sentences.map((says) => (
    <p key={says} className="wrap-anywhere flex items-start gap-2 text-sm">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      {says}
    </p>
  ));
}

/** What tells a hit from the others: its rule, and where it is. */
function told({ rule, address, start, end }: DraftHit): string {
  return `${address} ${start} ${end} ${rule}`;
}
