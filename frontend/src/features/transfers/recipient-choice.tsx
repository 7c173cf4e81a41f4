import { t } from "@lingui/core/macro";
import { EyeOff, Lock } from "lucide-react";
import { Badge } from "@/components/ui/Badge";
import type { ComboChoice } from "@/components/ui/MultiCombobox";
import { detailOf, keyOf, namesakes, type Recipient, tellsApart } from "./recipients";

/** The people as a field offers them. The chip of a namesake says what tells them apart. */
export function choicesOf(people: readonly Recipient[]): ComboChoice[] {
  const same = namesakes(people);
  return people.map((one) => choiceOf(one, tellsApart(one, same)));
}

function choiceOf(one: Recipient, apart: string | null): ComboChoice {
  return {
    value: keyOf(one),
    label: one.display_name,
    detail: detailOf(one),
    ...(apart && { chip: `${one.display_name} (${apart})` }),
    note: one.cleared ? (
      <Badge tone="secure" icon={<Lock aria-hidden />}>{t`Cleared`}</Badge>
    ) : (
      <Badge tone="quiet" icon={<EyeOff aria-hidden />}>{t`Not cleared`}</Badge>
    ),
  };
}
