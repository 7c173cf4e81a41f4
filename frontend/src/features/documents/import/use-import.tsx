import { plural, t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { draftQuery } from "@/api/drafts";
import { gatewayQuery } from "@/api/gateway";
import type { DraftShown } from "@/api/types";
import { toast } from "@/components/ui/toasts";
import { DropTarget } from "./DropTarget";
import { ImportDialog } from "./ImportDialog";
import { ImportListDialog } from "./ImportListDialog";
import { ImportList } from "./import-list";
import { useFileDrop } from "./use-file-drop";

/** What is imported: one file, or a list. `turn`: a key for each dialog. */
type Importing = ({ file: File } | { list: ImportList }) & { open: boolean; turn: number };

/** Imports files that are chosen, or dropped anywhere on the page. Render `importing` on the page. */
export function useImport(): { choose: () => void; importing: ReactNode } {
  const client = useQueryClient();
  const navigate = useNavigate();
  const chooser = useRef<HTMLInputElement>(null);
  const replacing = useRef(false);
  const [now, setNow] = useState<Importing | null>(null);

  const openDraft = (draft: DraftShown) => {
    client.setQueryData(draftQuery(draft.id).queryKey, draft);
    void client.invalidateQueries({ queryKey: ["drafts", "list"] });
    void navigate({ to: "/documents/$id", params: { id: draft.id } });
  };
  const close = () => setNow((before) => before && { ...before, open: false });
  const listOf = (files: readonly File[]): ImportList => {
    const list = new ImportList(
      async () => (await client.ensureQueryData(gatewayQuery)).max_document_bytes,
      (rows) => {
        void client.invalidateQueries({ queryKey: ["drafts"] });
        if (rows.some(({ sending }) => sending.is !== "done")) return;
        close();
        const { length } = rows;
        toast(plural(length, { one: "# file imported", other: "# files imported" }));
      },
    );
    list.add(files);
    return list;
  };
  const take = (files: readonly File[]) => {
    const [first] = files;
    if (!first) return;
    const isReplaced = replacing.current;
    replacing.current = false;
    if (now?.open && "list" in now) {
      now.list.add(files);
      return;
    }
    const all = now?.open && "file" in now && !isReplaced ? [now.file, ...files] : files;
    const what = all.length === 1 ? { file: first } : { list: listOf(all) };
    setNow({ ...what, open: true, turn: (now?.turn ?? 0) + 1 });
  };
  const list = now && "list" in now ? now.list : null;
  useEffect(() => () => list?.close(), [list]);
  const over = useFileDrop(take);
  const choose = (instead = false) => {
    replacing.current = instead;
    chooser.current?.click();
  };
  const importing = (
    <>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label={t`Files to import`}
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          // Allows choosing the same file again after a correction.
          target.value = "";
        }}
      />
      {over && <DropTarget />}
      {now && "file" in now && (
        <ImportDialog
          key={now.turn}
          file={now.file}
          open={now.open}
          onImported={(draft) => {
            close();
            openDraft(draft);
          }}
          onChooseAgain={() => choose(true)}
          onClose={close}
        />
      )}
      {now && "list" in now && <ImportListDialog key={now.turn} list={now.list} open={now.open} onClose={close} />}
    </>
  );
  return { choose: () => choose(), importing };
}
