import { t } from "@lingui/core/macro";
/** How a figure differs from the one of the time range before, in words. */

export interface Change {
  direction: "up" | "down" | "same" | "none";
  text: string;
}

/** `write`: the figure as text. Null: nothing was measured. */
export function changeOf(now: number | null, before: number | null, write: (value: number) => string): Change {
  if (before === null) return { direction: "none", text: now === null ? "" : t`none before` };
  // A narrow column breaks the line before the figure, not within.
  const was = write(before).replaceAll(" ", "\u00a0");
  if (now === null) return { direction: "none", text: t`was ${was}` };
  // What is written the same has not changed for the reader.
  if (write(now) === write(before)) return { direction: "same", text: t`same as before` };
  return now > before ? { direction: "up", text: t`up from ${was}` } : { direction: "down", text: t`down from ${was}` };
}
