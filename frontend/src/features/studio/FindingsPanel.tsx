import { useQuery } from "@tanstack/react-query";
import { Lock, ShieldCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { FileDraft } from "@/api/files";
import { checkQuery, type FindingShown } from "@/api/findings";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { grouped, KIND_WORD } from "@/features/transfers/findings";
import { useSaveState } from "../editor/saving";
import type { Place } from "./model/marks";
import { type Jump, useStudio } from "./studio";

/** Larger files are looked through when it is asked for: it takes seconds. */
const BY_ITSELF_BYTES = 2_000_000;
const FEW = 5;
const MOST = 100;

/** What the leak guard finds in what is saved: the same look that sending takes. */
export function FindingsPanel({ draft, onJump }: { draft: FileDraft; onJump: Jump }) {
  const { phase } = useSaveState();
  const [asked, setAsked] = useState<number | null>(null);
  const [all, setAll] = useState(false);
  const byItself = draft.document_bytes <= BY_ITSELF_BYTES;
  const wanted = draft.classified_bytes > 0 && phase.is === "saved" && (byItself || asked === draft.revision);
  const checked = useQuery({ ...checkQuery(draft.id, draft.revision), enabled: wanted });
  if (draft.classified_bytes === 0 || draft.format === "bytes" || checked.data?.rule === "off") return null;
  const groups = grouped(checked.data?.findings ?? []);
  const shown = groups.slice(0, all ? MOST : FEW);
  return (
    <section
      aria-labelledby="findings"
      className="flex max-h-[34dvh] shrink-0 flex-col gap-2 border-line border-t pt-4"
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
        <Button size="sm" onClick={() => setAsked(draft.revision)} className="self-start">
          Look for leaks
        </Button>
      )}
      {wanted && checked.isPending && <Skeleton label="Looking for leaks" lines={2} />}
      {checked.error && (
        <ErrorPanel title="It was not looked through." problem={checked.error} onRetry={() => void checked.refetch()} />
      )}
      {checked.data?.count === 0 && (
        <p className="flex items-start gap-2 text-quiet text-sm">
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          Nothing that is marked was found elsewhere in the plain part.
        </p>
      )}
      {shown.length > 0 && (
        <ul aria-labelledby="findings" className="-mx-2 min-h-0 overflow-y-auto">
          {shown.map(({ first, count }) => (
            <FindingRow
              key={first.id}
              finding={first}
              same={checked.data?.findings.filter((one) => one.kind === first.kind && one.group === first.group) ?? []}
              count={count}
              onJump={onJump}
            />
          ))}
        </ul>
      )}
      {groups.length > shown.length && !all && (
        <Button size="sm" onClick={() => setAll(true)} className="self-start">
          Show all {groups.length.toLocaleString("en")}
        </Button>
      )}
    </section>
  );
}

interface FindingRowProps {
  finding: FindingShown;
  /** Those that are about the same thing. */
  same: readonly FindingShown[];
  count: number;
  onJump: Jump;
}

function FindingRow({ finding, same, count, onJump }: FindingRowProps) {
  const studio = useStudio();
  const { address, start, end, says, kind, excerpt } = finding;
  const about = finding.group === "" ? [finding] : same;
  const places = about.filter((one) => one.address !== "").map((one): Place => one);
  return (
    <li className="flex flex-col gap-1 rounded-md px-2 py-1.5 hover:bg-ink/5">
      <button
        type="button"
        disabled={address === ""}
        onClick={() => onJump(address, start, end)}
        className="min-w-0 rounded-sm text-left text-sm"
      >
        <span className="wrap-anywhere line-clamp-3">
          <TriangleAlert aria-hidden className="mr-1.5 inline size-3.5 text-plain" />
          {says}
        </span>
        <span className="block truncate text-quiet text-xs">
          {KIND_WORD[kind] ?? kind}
          {excerpt && ` · ${excerpt}`}
        </span>
      </button>
      {places.length > 0 && kind !== "sent" && kind !== "limit" && (
        <Button
          size="sm"
          icon={<Lock aria-hidden className="text-secure" />}
          onClick={() => studio.mark(places, places.length === 1 ? "1 finding" : `${places.length} findings`)}
          className="self-start"
        >
          {places.length === 1 ? "Mark" : `Mark all ${places.length.toLocaleString("en")}`}
          <span className="sr-only">: {says}</span>
        </Button>
      )}
      {count > about.length && <span className="text-quiet text-xs">and more</span>}
    </li>
  );
}
