import { t } from "@lingui/core/macro";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import type { RefObject } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { Input } from "@/components/ui/Input";

interface FindBarProps {
  input: RefObject<HTMLInputElement | null>;
  query: string;
  onQuery: (query: string) => void;
  /** "3 of 27" or "No matches"; empty without a query. */
  says: string;
  none: boolean;
  onStep: (step: 1 | -1) => void;
  onClose: () => void;
}

/** Finds text in the document. Enter goes to the next match, Shift+Enter to the previous one, Escape closes. */
export function FindBar({ input, query, onQuery, says, none, onStep, onClose }: FindBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not every supported browser has the search element
    <div role="search" aria-label={t`Find in document`} className="flex items-center gap-1">
      <Input
        ref={input}
        data-find
        aria-label={t`Find in document`}
        aria-invalid={none || undefined}
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
        }}
        placeholder={t`Find`}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        className="h-8! min-w-0 flex-1 sm:max-w-72"
      />
      <span role="status" className="min-w-16 px-1 text-center text-quiet text-sm">
        {says}
      </span>
      <IconButton
        label={t`Previous match`}
        icon={<ChevronUp />}
        size="sm"
        disabled={says === "" || none}
        onClick={() => onStep(-1)}
      />
      <IconButton
        label={t`Next match`}
        icon={<ChevronDown />}
        size="sm"
        disabled={says === "" || none}
        onClick={() => onStep(1)}
      />
      <IconButton label={t`Close find`} icon={<X />} size="sm" onClick={onClose} />
    </div>
  );
}
