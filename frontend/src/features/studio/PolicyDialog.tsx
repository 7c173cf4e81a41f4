import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { type DraftHit, type Preview, policiesQuery, previewInDraft } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { Beyond, limitBeyond } from "@/features/editor/PolicyPane";
import { HitReview } from "@/features/policies/HitReview";
import { PolicyChooser } from "@/features/policies/PolicyChooser";
import { onAll, onThese, UNDECIDED, type Verdicts } from "@/features/policies/verdicts";
import { countText } from "@/features/policies/words";
import { whereText } from "./model/where";
import { useMarks, useStudio } from "./studio";

interface PolicyDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Marks by a policy: each hit is accepted or rejected, and what is accepted is marked in one step. */
export function PolicyDialog({ open, onOpenChange }: PolicyDialogProps) {
  const { id } = useStudio();
  const [name, setName] = useState<string | null>(null);
  const looking = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ policy, limit }: { policy: string; limit: number }): Promise<Looked> => ({
      ...(await previewInDraft(id, policy, limit)),
      limit,
    }),
    onSuccess: ({ hits }) => announce(hits.length === 0 ? "No hit" : countText(hits.length, "hit", "hits")),
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
    looking.mutate({ policy, limit: limitBeyond(marked) });
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
        {looking.isPending && <Skeleton label="Looking" lines={3} />}
        {looking.error && (
          <ErrorPanel
            title="The file could not be looked through."
            problem={looking.error}
            onRetry={() => name !== null && look(name)}
          />
        )}
        {looking.data && !looking.isPending && (
          <Hits
            key={looking.submittedAt}
            looked={looking.data}
            onMore={(marked) => name !== null && look(name, marked)}
          />
        )}
      </div>
    </Dialog>
  );
}

interface Looked extends Preview<DraftHit> {
  /** So many hits were asked for. */
  readonly limit: number;
}

function Hits({ looked, onMore }: { looked: Looked; onMore: (marked: number) => void }) {
  const studio = useStudio();
  const { index } = useMarks();
  /** By the index among all hits: what is marked meanwhile falls out, and the others keep their verdicts. */
  const [verdicts, setVerdicts] = useState<Verdicts>(UNDECIDED);
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
        <p role="status" className="text-sm">
          {looked.hits.length === 0
            ? "It finds nothing in this file."
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
          onVerdicts={(next) => setVerdicts(onAll(next, open))}
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
            setVerdicts(UNDECIDED);
            setCurrent(0);
          }}
        />
      </div>
    </>
  );
}
