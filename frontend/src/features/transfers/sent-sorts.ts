import { t } from "@lingui/core/macro";
import { BY_NAME, LARGEST, LATEST, OLDEST } from "@/components/SortSelect";

/** How lists of sent documents are sorted. */
export const SENT_SORTS = [
  LATEST,
  OLDEST,
  BY_NAME,
  { value: "peer", label: t`By peer`, asked: { sort: "peer", descending: false } },
  LARGEST,
  { value: "state", label: t`By state`, asked: { sort: "state", descending: false } },
] as const;
