/** A share for people: 0 % only for nothing, and 100 % only for everything. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return "Under 1 %";
  if (percent === 100 && share < 1) return "Over 99 %";
  return `${percent} %`;
}
