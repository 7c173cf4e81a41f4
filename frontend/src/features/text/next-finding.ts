import { t } from "@lingui/core/macro";
import { announce } from "@/components/announce";
import type { LeakCheck } from "@/features/workspace/panels/leak-check";
import type { TextSpan } from "@/marked-text/markup";

/** Goes to the first finding behind the offset `behind`; behind the last one, to the first. */
export function goToNextFinding(leaks: LeakCheck<TextSpan>, behind: number, onJump: (place: TextSpan) => void): void {
  const { checked, open, error } = leaks.findings();
  const places = leaks.placesOf(open).sort((one, other) => one.from - other.from);
  const next = places.find(({ from }) => from >= behind) ?? places[0];
  if (next) onJump(next);
  else if (error) announce(t`The leak check could not run`);
  else announce(checked ? t`There are no open findings` : t`The leak check has not run yet`);
}
