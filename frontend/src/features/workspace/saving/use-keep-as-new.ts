import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createContext, useContext } from "react";
import { createDraft, draftQuery } from "@/api/drafts";
import { changeLabels, type LabelsAsked, labelSetQuery } from "@/api/labels";
import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { toastError } from "@/components/ui/toasts";
import { useSaver } from "./saving";

/** The labels that what is in the page has; null where there are none, or it is not known whether. */
const LabelsHere = createContext<(() => LabelsAsked | null) | null>(null);

export const LabelsHereProvider = LabelsHere.Provider;

/** Keeps what is in the page as a document of its own, and goes on there. Nothing may be typed while that is pending. */
export function useKeepAsNew(draft: DraftShown, name: string) {
  const saver = useSaver();
  const client = useQueryClient();
  const navigate = useNavigate();
  const labels = useContext(LabelsHere);
  const { data: set } = useQuery(labelSetQuery);
  return useMutation({
    mutationFn: async () => {
      const here = set?.labels.length === 0 ? undefined : (labels?.() ?? null);
      const asked = here && labelsOf(here, draft.name);
      const made = await createDraft(name, draft.media_type, "marked", saver.text());
      if (here === null) toastError("Its labels were not taken along: give them anew.", NOT_KNOWN);
      if (asked) {
        // The document is there by then: to say that it was not kept would have it kept twice.
        await changeLabels(made.id, made.revision, asked).catch((error) =>
          toastError("Its labels were not taken along: give them anew.", error),
        );
      }
      return made;
    },
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

const NOT_KNOWN = new Problem(0, "They had not come from the gateway yet.");

/** For a new document; null if it has nothing but the default. What is raised wants a reason there, too. */
function labelsOf(here: LabelsAsked, from: string): LabelsAsked | null {
  const { labels, banner, compilation_reason } = here;
  if (banner === null && !labels?.some((label) => label !== null)) return null;
  const why = banner === null ? null : (compilation_reason ?? `It was that high in “${from}”, which it was kept from.`);
  return { ...here, compilation_reason: why };
}

/** `report.txt` as `report (mine).txt`. */
export function mineName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (mine)${name.slice(dot)}` : `${name} (mine)`;
}
