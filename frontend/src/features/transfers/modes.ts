/** The names of the modes. */
import { t } from "@lingui/core/macro";
import type { Mode } from "@/api/transfers";

export const MODE_NAME: Record<Mode, string> = {
  auto: t`Automatic (fastest)`,
  sieve: t`Both channels`,
  "secure-only": t`Secure channel only`,
};

const MODE_IN_TEXT: Record<Mode, string> = {
  auto: t`automatic (fastest)`,
  sieve: t`both channels`,
  "secure-only": t`secure channel only`,
};

/** The mode's name; an unknown mode is shown unchanged. */
export function modeName(mode: string): string {
  return MODE_NAME[mode as Mode] ?? mode;
}

/** Within a sentence: "both channels". */
export function modeNameInText(mode: string): string {
  return MODE_IN_TEXT[mode as Mode] ?? mode;
}
