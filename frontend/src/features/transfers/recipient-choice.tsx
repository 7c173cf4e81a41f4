import { EyeOff, Lock } from "lucide-react";
import { Badge } from "@/components/ui/Badge";
import type { ComboChoice } from "@/components/ui/MultiCombobox";
import { detailOf, keyOf, namesakes, type Recipient } from "./recipients";

/** The people as a field offers them. Namesakes have their unit on the chip. */
export function choicesOf(people: readonly Recipient[]): ComboChoice[] {
  const same = new Set(namesakes(people).map(keyOf));
  return people.map((one) => choiceOf(one, same.has(keyOf(one))));
}

function choiceOf(one: Recipient, hasNamesake: boolean): ComboChoice {
  return {
    value: keyOf(one),
    label: one.display_name,
    detail: detailOf(one),
    ...(hasNamesake && { chip: `${one.display_name} (${one.unit ?? one.name})` }),
    note: one.cleared ? (
      <Badge tone="secure" icon={<Lock aria-hidden />}>
        Cleared
      </Badge>
    ) : (
      <Badge tone="quiet" icon={<EyeOff aria-hidden />}>
        Not cleared
      </Badge>
    ),
  };
}
