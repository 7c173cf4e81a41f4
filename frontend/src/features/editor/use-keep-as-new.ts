import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createDraft, draftQuery } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { serialise } from "@/editor/serialise";
import { useWorkbench } from "./workbench";

/** Keeps what is in the page as a document of its own, and goes on there. */
export function useKeepAsNew(draft: DraftShown, name: string) {
  const { editor, saver } = useWorkbench();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => createDraft(name, draft.media_type, "marked", serialise(editor.state.doc)),
    onSuccess: async (made) => {
      saver.stop();
      saver.drop();
      client.setQueryData(draftQuery(made.id).queryKey, made);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      announce(`Kept as ${made.name}`);
      await navigate({ to: "/documents/$id", params: { id: made.id }, replace: true });
    },
  });
}

/** `report.txt` as `report (mine).txt`. */
export function mineName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (mine)${name.slice(dot)}` : `${name} (mine)`;
}
