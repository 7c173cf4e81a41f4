/** The names of the modes. */
import type { Mode } from "@/api/transfers";

export const MODE_NAME: Record<Mode, string> = {
  auto: "Automatic (fastest)",
  sieve: "Both channels",
  "secure-only": "Secure channel only",
};

/** The mode's name; an unknown mode is shown unchanged. */
export function modeName(mode: string): string {
  return MODE_NAME[mode as Mode] ?? mode;
}
