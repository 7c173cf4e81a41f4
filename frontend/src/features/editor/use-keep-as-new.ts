import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createDraft, draftQuery } from "@/api/drafts";
import { labelSetQuery } from "@/api/labels";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { useSaver } from "./saving";

/** Keeps what is in the page as a document of its own, and goes on there. Nothing may be typed while that is pending. */
export function useKeepAsNew(draft: DraftShown, name: string) {
  const saver = useSaver();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => createDraft(name, draft.media_type, "marked", saver.text()),
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

/** Whether there are labels: they do not come along, which must be said before. */
export function useLabelsStay(): boolean {
  const { data: set } = useQuery(labelSetQuery);
  return set !== undefined && set.labels.length > 0;
}

/** `report.txt` as `report (mine).txt`. */
export function mineName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (mine)${name.slice(dot)}` : `${name} (mine)`;
}
