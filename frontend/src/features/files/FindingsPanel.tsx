import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { FileDraft } from "@/api/files";
import { checkQuery } from "@/api/findings";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { leakCheckText, NAME_ADDRESS } from "@/features/transfers/findings";
import { GuardFindings, NOTHING_FOUND } from "../workspace/panels/GuardFindings";
import type { LeftFindings } from "../workspace/panels/left-findings";
import { useSaveState } from "../workspace/saving/saving";
import { type Jump, useStudio } from "./studio";

/** Larger files are looked through when it is asked for: it takes seconds. */
const BY_ITSELF_BYTES = 2_000_000;

const NOTHING_PLAIN = "Nothing was found in what would travel plain.";

interface FindingsPanelProps {
  draft: FileDraft;
  left: LeftFindings;
  onJump: Jump;
}

/**
 * What the leak guard finds in what is saved: the same look that sending takes. Before the first mark, too: then all that
 * hides in the file would travel plain.
 */
export function FindingsPanel({ draft, left, onJump }: FindingsPanelProps) {
  const studio = useStudio();
  const { phase } = useSaveState();
  const [asked, setAsked] = useState<number | null>(null);
  const looks = draft.format !== "bytes";
  const byItself = draft.document_bytes <= BY_ITSELF_BYTES;
  const wanted = looks && phase.is === "saved" && (byItself || asked === draft.revision);
  const checked = useQuery({ ...checkQuery(draft.id, draft.revision), enabled: wanted });
  // Of a look that nobody asked for only what is new is told: there is one after each save.
  const told = useRef(-1);
  const tell = useEffectEvent((count: number) => {
    if (asked === draft.revision || count !== told.current) announce(leakCheckText(count));
    told.current = count;
  });
  useEffect(() => {
    if (checked.data && checked.data.rule !== "off") tell(checked.data.count);
  }, [checked.data]);
  if (!looks || checked.data?.rule === "off") return null;
  return (
    <section
      aria-labelledby="findings"
      tabIndex={-1}
      className="flex max-h-[34dvh] shrink-0 flex-col gap-2 border-line border-t pt-4 outline-none"
    >
      <div className="flex items-baseline justify-between gap-2">
        <h2 id="findings" className="font-medium text-sm">
          Findings
        </h2>
        {checked.data && (
          <span data-findings className="text-quiet text-sm">
            {checked.data.count.toLocaleString("en")}
          </span>
        )}
      </div>
      {!byItself && asked !== draft.revision && (
        <Button
          size="sm"
          onClick={() => {
            setAsked(draft.revision);
            announce("Looking for leaks");
          }}
          className="self-start"
        >
          Look for leaks
        </Button>
      )}
      {wanted && checked.isPending && <Skeleton lines={2} />}
      {checked.error && (
        <ErrorPanel title="It was not looked through." problem={checked.error} onRetry={() => void checked.refetch()} />
      )}
      {checked.data && (
        <GuardFindings
          findings={checked.data.findings}
          none={draft.classified_bytes > 0 ? NOTHING_FOUND : NOTHING_PLAIN}
          more={checked.data.more}
          hasPlace={({ address }) => address !== "" && address !== NAME_ADDRESS}
          onJump={({ address, start, end }) => onJump(address, start, end)}
          onMark={(places) => studio.mark(places, places.length === 1 ? "1 finding" : `${places.length} findings`)}
          left={left}
        />
      )}
    </section>
  );
}
