import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { draftQuery } from "@/api/drafts";
import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { PHONE, useIsShort, useMedia, WIDE } from "@/components/use-media";
import type { Seed } from "../panels/FindForm";
import { useSaver } from "../saving/saver-context";

/** The panel that is open in place of the list of what is classified. */
export type Panel = { readonly is: "find"; readonly seed: Seed } | { readonly is: "policy" };

export const PANEL_NAME = { find: t`Find and mark`, policy: t`Mark by a policy` } as const;

type PageDialog = "list" | "help" | "delete" | "eavesdropper" | "redacted" | "text";

export type PageState = ReturnType<typeof usePageState>;

/** What a document page and its tools share: the document's row, the size of the screen, and what is open. */
export function usePageState(first: DraftShown) {
  const [dialog, show] = useState<PageDialog | null>(null);
  const [panel, setPanel] = useState<Panel | null>(null);
  const phone = useMedia(PHONE);
  const wide = useMedia(WIDE);
  const short = useIsShort();
  return {
    draft: useDraft(first),
    phone,
    wide,
    short,
    /** Tools are icons where they can be, and some are only in the menu. */
    small: phone || (short && !wide),
    dialog,
    show,
    /** For a dialog of this name. */
    open: (name: PageDialog) => ({
      open: dialog === name,
      onOpenChange: (open: boolean) => show(open ? name : null),
    }),
    panel,
    /** Opens the search, or searches again. */
    find: (phrase: string) =>
      setPanel((before) => ({
        is: "find",
        seed: { phrase, turn: (before?.is === "find" ? before.seed.turn : 0) + 1 },
      })),
    byPolicy: () => setPanel({ is: "policy" }),
    closePanel: () => setPanel(null),
  };
}

/** The document's row as it is known now. The saver hears of a revision that it did not make, and of a row that is gone. */
function useDraft(first: DraftShown): DraftShown {
  const saver = useSaver();
  const { data = first, error } = useQuery(draftQuery(first.id));
  useEffect(() => saver.heard(data.revision), [saver, data.revision]);
  const isGone = error instanceof Problem && error.status === 404;
  useEffect(() => {
    if (isGone) void saver.heardDeleted();
  }, [saver, isGone]);
  return data;
}
