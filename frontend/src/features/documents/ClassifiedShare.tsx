import type { DraftShown } from "@/api/types";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { classifiedShare } from "./draft-state";

/** How a document divides between the two channels: a thin bar in true proportion, and the same in figures. */
export function ClassifiedShare({ draft }: { draft: DraftShown }) {
  const share = classifiedShare(draft);
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-sm">
        {share === null ? (
          <span className="flex-1 bg-ink/8" />
        ) : (
          <>
            {share > 0 && <span className="bar-secure min-w-1" style={{ width: `${share * 100}%` }} />}
            {share < 1 && <span className="bar-plain min-w-1 flex-1" />}
          </>
        )}
      </div>
      <span className="text-quiet">{shareText(draft, share)}</span>
    </div>
  );
}

function shareText({ classified_bytes }: DraftShown, share: number | null): string {
  if (share === null) return "Empty";
  if (share === 0) return "Nothing classified";
  if (share === 1) return "All classified";
  return `${percentText(share)} classified (${sizeText(classified_bytes)})`;
}
