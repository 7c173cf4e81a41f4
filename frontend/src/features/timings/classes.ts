/** The classes into which the gateway divides transfers: their names in addresses, in order, and their labels. */
import { t } from "@lingui/core/macro";

export const SIZE_CLASSES = ["10KB", "100KB", "1MB", "10MB", "100MB", "1GB", "more"] as const;
export const SHARE_CLASSES = ["0", "10", "25", "50", "75", "90", "99", "100"] as const;
export const BATCH_CLASSES = ["1", "2-4", "5-9", "10+"] as const;

const SIZE_LABEL: Readonly<Record<string, string>> = {
  "10KB": t`Up to 10 KB`,
  "100KB": t`10 to 100 KB`,
  "1MB": t`100 KB to 1 MB`,
  "10MB": t`1 to 10 MB`,
  "100MB": t`10 to 100 MB`,
  "1GB": t`100 MB to 1 GB`,
  more: t`Over 1 GB`,
};

const SHARE_LABEL: Readonly<Record<string, string>> = {
  "0": "0 %",
  "10": t`Up to 10 %`,
  "25": t`10 to 25 %`,
  "50": t`25 to 50 %`,
  "75": t`50 to 75 %`,
  "90": t`75 to 90 %`,
  "99": t`Over 90 %`,
  "100": "100 %",
};

const BATCH_LABEL: Readonly<Record<string, string>> = {
  "1": t`1 document`,
  "2-4": t`2 to 4 documents`,
  "5-9": t`5 to 9 documents`,
  "10+": t`10 documents or more`,
};

/** The label of a size class, such as "10 to 100 KB"; an unknown class is shown unchanged. */
export function sizeClassText(name: string): string {
  return SIZE_LABEL[name] ?? name;
}

/** The label of a class of the share classified, such as "10 to 25 %". */
export function shareClassText(name: string): string {
  return SHARE_LABEL[name] ?? name;
}

/** The label of a batch class, such as "2 to 4 documents". */
export function batchClassText(name: string): string {
  return BATCH_LABEL[name] ?? name;
}
