import type { DraftShown } from "@/api/types";
import { ShareBar } from "@/components/ShareBar";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { classifiedShare } from "./draft-state";

/** How a document divides between the two channels: a bar in true proportion, and the same in figures. */
export function ClassifiedShare({ draft }: { draft: DraftShown }) {
  const share = classifiedShare(draft);
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <ShareBar secure={share} />
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
