import { t } from "@lingui/core/macro";
import type { DraftShown } from "@/api/types";
import { ShareBar } from "@/components/ShareBar";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { classifiedShare } from "./draft-state";

/** How a document divides between the two channels: a bar in true proportion, and the same in figures. */
export function ClassifiedShare({ draft }: { draft: DraftShown }) {
  const share = classifiedShare(draft);
  return (
    <div title={shareText(draft, share)} className="flex items-center gap-2.5 text-sm">
      <ShareBar secure={share} className="h-1.5 w-12 shrink-0" />
      <span className="truncate text-quiet">{shortText(share)}</span>
    </div>
  );
}

function shareText({ classified_bytes }: DraftShown, share: number | null): string {
  if (share === null || share === 0 || share === 1) return shortText(share);
  return t`${{ share: percentText(share) }} classified (${{ size: sizeText(classified_bytes) }})`;
}

function shortText(share: number | null): string {
  if (share === null) return t`Empty`;
  if (share === 0) return t`Nothing classified`;
  if (share === 1) return t`All classified`;
  return t`${{ share: percentText(share) }} classified`;
}
