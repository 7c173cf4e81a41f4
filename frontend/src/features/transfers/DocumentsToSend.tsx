import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { IconButton } from "@/components/ui/IconButton";
import { useFirstRows } from "@/components/use-first-rows";
import { BannerBadge } from "./BannerLine";

const FIRST_SHOWN = 5;

interface DocumentsToSendProps {
  /** At least two. */
  drafts: readonly DraftShown[];
  onLeaveOut: (draft: DraftShown) => void;
}

/** The documents that will be sent together. Each can be removed. */
export function DocumentsToSend({ drafts, onLeaveOut }: DocumentsToSendProps) {
  const { shown, hidden, showAll } = useFirstRows(drafts, FIRST_SHOWN, "documents");
  const list = useRef<HTMLUListElement>(null);
  // The index of the removed row: its button had the focus.
  const left = useRef<number | null>(null);
  useEffect(() => {
    if (left.current === null) return;
    const buttons = list.current?.querySelectorAll("button") ?? [];
    buttons[Math.min(left.current, drafts.length - 1)]?.focus();
    left.current = null;
  }, [drafts.length]);
  return (
    <div tabIndex={-1} className="flex flex-col items-start gap-2 outline-none">
      <ul ref={list} aria-label={t`Documents to send`} className="max-h-64 w-full overflow-y-auto">
        {shown.map((draft, index) => (
          <li key={draft.id} className="flex items-center gap-3 border-line border-t py-1 first:border-t-0">
            <div className="min-w-0 flex-1">
              <p className="wrap-anywhere line-clamp-2 font-serif">{draft.name}</p>
              <BannerBadge draft={draft} />
            </div>
            <Bytes value={draft.document_bytes} className="shrink-0 text-quiet text-sm" />
            <IconButton
              label={t`Remove ${draft.name}`}
              icon={<X />}
              side="left"
              onClick={() => {
                left.current = index;
                onLeaveOut(draft);
                announce(t`${draft.name} removed`);
              }}
            />
          </li>
        ))}
      </ul>
      {hidden > 0 && <Button size="sm" onClick={showAll}>{t`Show ${hidden} more`}</Button>}
    </div>
  );
}
