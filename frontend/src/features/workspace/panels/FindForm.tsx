import { t } from "@lingui/core/macro";
import { ChevronDown, ChevronUp } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { Checkbox } from "@/components/ui/Checkbox";
import { IconButton } from "@/components/ui/IconButton";
import { Input } from "@/components/ui/Input";
import { cx } from "@/lib/cx";
import type { Sought } from "@/marked-text/phrase-search";
import { PanelHead } from "./PanelHead";

export interface Seed {
  /** The phrase to find first; empty: the one before. */
  readonly phrase: string;
  /** Grows each time that the author starts to find. */
  readonly turn: number;
}

/** The phrase to find, starting with the seed's, and its field, which gets the focus with each seed. */
export function useSought(seed: Seed) {
  const input = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState<Sought>({ phrase: seed.phrase, matchCase: false, wholeWords: false });
  const seeded = useEffectEvent(({ phrase }: Seed) => {
    if (phrase !== "") setWanted((before) => ({ ...before, phrase }));
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  });
  useEffect(() => seeded(seed), [seed]);
  return { input, wanted, setWanted };
}

interface FindFormProps {
  input: RefObject<HTMLInputElement | null>;
  wanted: Sought;
  onWanted: (wanted: Sought) => void;
  /** Whether there is any place to go to. */
  any: boolean;
  /** The phrase was not found. */
  none: boolean;
  onStep: (direction: 1 | -1) => void;
  onClose: () => void;
  /** The number of places, and of the current one. */
  says: string;
  className?: string;
  /** Actions on the places. */
  children: ReactNode;
}

/** The phrase to find, how it is compared, and steps from place to place. */
export function FindForm(props: FindFormProps) {
  const { input, wanted, onWanted, any, none, onStep, onClose, says, className, children } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element search is not in every browser that we serve
    <div
      role="search"
      aria-label={t`Find and mark`}
      className={cx("flex flex-col gap-3", className)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <PanelHead title={t`Find and mark`} close={t`Close search`} onClose={onClose} />
      <div className="flex items-center gap-1">
        <Input
          ref={input}
          data-find
          aria-label={t`Find in the document`}
          aria-invalid={none || undefined}
          value={wanted.phrase}
          onChange={({ target }) => onWanted({ ...wanted, phrase: target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            onStep(event.shiftKey ? -1 : 1);
          }}
          placeholder={t`A word or a phrase`}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          className="min-w-0 flex-1"
        />
        <IconButton
          label={t`Previous place`}
          icon={<ChevronUp />}
          size="sm"
          disabled={!any}
          onClick={() => onStep(-1)}
        />
        <IconButton label={t`Next place`} icon={<ChevronDown />} size="sm" disabled={!any} onClick={() => onStep(1)} />
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <Checkbox
          label={t`Match case`}
          checked={wanted.matchCase}
          onCheckedChange={(matchCase) => onWanted({ ...wanted, matchCase })}
        />
        <Checkbox
          label={t`Whole words`}
          checked={wanted.wholeWords}
          onCheckedChange={(wholeWords) => onWanted({ ...wanted, wholeWords })}
        />
      </div>
      <p role="status" className="text-quiet text-sm">
        {says}
      </p>
      {children}
    </div>
  );
}
