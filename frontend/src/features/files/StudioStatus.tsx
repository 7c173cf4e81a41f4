import { Lock } from "lucide-react";
import { useLiveState } from "@/app/live";
import { cx } from "@/lib/cx";
import { SaveWords } from "../workspace/saving/SaveWords";
import { whereText } from "./model/where";
import { useChoice, useStanding, useStudio } from "./studio";

const LIVE = { connecting: "", live: "Live", reconnecting: "Not live" } as const;

/** What is selected, how that stands, and whether all is saved. */
export function StudioStatus({ small, className }: { small: boolean; className?: string }) {
  const { format } = useStudio();
  const choice = useChoice();
  const standing = useStanding();
  const live = useLiveState();
  return (
    <div className={cx("flex min-h-8 items-center gap-x-5 gap-y-0.5 text-quiet text-xs", className)}>
      {choice && (
        <span className="min-w-0 truncate">
          Selected: <span className="text-ink">{choice.words}</span>
        </span>
      )}
      {standing && (standing.above !== null || standing.all) && (
        <span className="flex min-w-0 items-center gap-1 font-medium text-secure">
          <Lock aria-hidden className="size-3 shrink-0" />
          <span className="truncate">
            {standing.above === null ? "Classified" : `Classified with ${lowered(whereText(format, standing.above))}`}
          </span>
        </span>
      )}
      <span className="ml-auto flex min-w-0 items-center gap-4 text-right">
        <SaveWords />
        {!small && LIVE[live] && <span className="whitespace-nowrap">{LIVE[live]}</span>}
      </span>
    </div>
  );
}

function lowered(where: string): string {
  return where.charAt(0).toLowerCase() + where.slice(1);
}
