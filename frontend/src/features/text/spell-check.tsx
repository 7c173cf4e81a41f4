import { t } from "@lingui/core/macro";
import { useState } from "react";
import { MenuCheckbox } from "@/components/ui/Menu";
import { useSession } from "@/session/session";

const keyOf = (personId: string) => `sieve-spell-check-${personId}`;

/**
 * Whether the browser checks the spelling of texts. Each person chooses in each browser, because some browsers send the
 * text to a service. Off at first.
 */
export function useSpellCheck(): [boolean, (on: boolean) => void] {
  const key = keyOf(useSession().person.id);
  const [on, setOn] = useState(() => {
    try {
      return localStorage.getItem(key) !== null;
    } catch {
      return false;
    }
  });
  return [
    on,
    (next) => {
      setOn(next);
      try {
        if (next) localStorage.setItem(key, "1");
        else localStorage.removeItem(key);
      } catch {
        // Without storage the choice lasts until the page closes.
      }
    },
  ];
}

export function SpellCheckItem({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <MenuCheckbox
      label={t`Check spelling`}
      hint={t`Your browser checks it. Some browsers send the text to a service, classified or not.`}
      checked={on}
      onCheckedChange={onChange}
    />
  );
}
