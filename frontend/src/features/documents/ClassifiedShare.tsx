import { t } from "@lingui/core/macro";
import type { DraftShown } from "@/api/types";
import { ShareBar } from "@/components/ShareBar";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { classifiedShare } from "./draft-state";

/**
 * How a document divides between the two channels: a bar in true proportion, and the same in figures. `dense`: on one
 * line from 768 px on, with the size as a tooltip.
 */
export function ClassifiedShare({ draft, dense = false }: { draft: DraftShown; dense?: boolean }) {
  const share = classifiedShare(draft);
  if (!dense) {
    return (
      <div className="flex flex-col gap-1.5 text-sm">
        <ShareBar secure={share} />
        <span className="text-quiet">{shareText(draft, share)}</span>
      </div>
    );
  }
  return (
    <div
      title={shareText(draft, share)}
      className="flex flex-col gap-1.5 text-sm md:flex-row md:items-center md:gap-2.5"
    >
      <ShareBar secure={share} className="h-1.5 md:w-12 md:shrink-0" />
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
