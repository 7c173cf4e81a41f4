/** Rules of policies, as marks and problems refer to them. */

/** Where a mark comes from: "names/2#1" is rule 1 of version 2 of the policy "names". */
export function ruleOf(id: string): { policy: string; version: number; number: number } | null {
  const match = /^(.*)\/(\d+)#(\d+)$/.exec(id);
  if (!match) return null;
  const [, policy = "", version, number] = match;
  return { policy, version: Number(version), number: Number(number) };
}

/** The rule that a problem is about, counted from 1; null: the whole policy. */
export function ruleNumberOf(where: string): number | null {
  const found = /rules?\s*\[?\s*(\d+)/i.exec(where);
  return found ? Number(found[1]) : null;
}
