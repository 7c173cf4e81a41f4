import { useQueries } from "@tanstack/react-query";
import { isFile } from "@/api/files";
import { redactedQuery } from "@/api/redacted";
import type { DraftShown } from "@/api/types";

/** A file that is to be sent, and what goes along with it. */
export interface WithEdition {
  readonly draft: DraftShown;
  readonly bytes: number | null;
  /** Why nothing does. */
  readonly note: string | null;
}

/** The files among `drafts` of which it is known by now; asked while `open`. */
export function useEditions(drafts: readonly DraftShown[], open: boolean): readonly WithEdition[] {
  const files = drafts.filter(isFile);
  const asked = useQueries({ queries: files.map((draft) => ({ ...redactedQuery(draft.document_id), enabled: open })) });
  return files.flatMap((draft, at) => {
    const said = asked[at]?.data;
    return said ? [{ draft, bytes: said.redacted_bytes, note: said.note }] : [];
  });
}
