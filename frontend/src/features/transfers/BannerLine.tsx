import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { draftLabelsQuery, labelSetQuery } from "@/api/labels";
import type { DraftShown } from "@/api/types";
import { Badge } from "@/components/ui/Badge";

/** The banner of the document to send, if this gateway has labels. */
export function BannerLine({ draft }: { draft: DraftShown }) {
  const banner = useBanner(draft);
  return (
    banner !== null && (
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-medium">{t`Banner`}</span>
        <Badge tone="secure">{banner}</Badge>
        <span className="text-quiet">
          {draft.format === "text" || draft.format === "bytes"
            ? t`Labels are not sent with the document.`
            : t`Cleared recipients see the labels.`}
        </span>
      </p>
    )
  );
}

/** The banner of one of several documents. */
export function BannerBadge({ draft }: { draft: DraftShown }) {
  const banner = useBanner(draft);
  return banner !== null && <Badge tone="secure">{banner}</Badge>;
}

function useBanner(draft: DraftShown): string | null {
  const { data: set } = useQuery(labelSetQuery);
  const any = set !== undefined && set.labels.length > 0;
  const { data } = useQuery({ ...draftLabelsQuery(draft.id, draft.revision), enabled: any });
  return data?.banner ? data.banner_text : null;
}
