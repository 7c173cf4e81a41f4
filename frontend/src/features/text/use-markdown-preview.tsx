import { t } from "@lingui/core/macro";
import { BookOpenText } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { isMarkdown, MOST_RENDERED } from "@/api/media-types";
import type { DraftShown } from "@/api/types";
import { Loading } from "@/components/Loading";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { MenuItem } from "@/components/ui/Menu";

const RenderedMarkdown = lazyWithPreload(
  async () => (await import("@/components/markdown/MarkdownReader")).RenderedMarkdown,
  Loading,
);

/** A menu item and its dialog, which show a Markdown draft as its readers will see it; nothing for other drafts. */
export function useMarkdownPreview(
  { name, media_type, document_bytes }: DraftShown,
  marked: () => string,
): { item: ReactNode; dialog: ReactNode } {
  const [shown, show] = useState<string | null>(null);
  const close = useRef<HTMLButtonElement>(null);
  if (!isMarkdown(name, media_type) || document_bytes > MOST_RENDERED) return { item: null, dialog: null };
  return {
    item: (
      <MenuItem icon={<BookOpenText />} onClick={() => show(marked())}>
        {t`Preview`}
      </MenuItem>
    ),
    dialog: (
      <Dialog
        open={shown !== null}
        onOpenChange={(open) => !open && show(null)}
        title={t`Preview`}
        description={t`The document as cleared recipients see it.`}
        width="lg"
        initialFocus={close}
        footer={
          <Button ref={close} onClick={() => show(null)}>
            {t`Close`}
          </Button>
        }
      >
        {shown !== null && <RenderedMarkdown marked={shown} name={name} inDialog />}
      </Dialog>
    ),
  };
}
