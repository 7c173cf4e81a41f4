import { t } from "@lingui/core/macro";

/** A share for people: 0 % only for nothing, and 100 % only for everything. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return t`Under 1 %`;
  if (percent === 100 && share < 1) return t`Over 99 %`;
  return t`${percent} %`;
}

/** Within a sentence: "under 1 %". */
export function percentInText(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return t`under 1 %`;
  if (percent === 100 && share < 1) return t`over 99 %`;
  return t`${percent} %`;
}
