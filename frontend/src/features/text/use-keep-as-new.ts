import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createDraft, draftQuery } from "@/api/drafts";
import { changeLabels, type LabelsAsked, labelSetQuery } from "@/api/labels";
import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { toastError } from "@/components/ui/toasts";
import { useSaver } from "../workspace/saving/saver-context";

/** The text in the page. */
export interface TextInPage {
  readonly marked: () => string;
  /** Null if there are no labels, or they are not known yet. */
  readonly labels: () => LabelsAsked | null;
}

/** Saves the text in the page as a new document, and opens that. Nothing may be typed while that is pending. */
export function useKeepAsNew(draft: DraftShown, name: string, text: TextInPage) {
  const saver = useSaver();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: set } = useQuery(labelSetQuery);
  return useMutation({
    mutationFn: async () => {
      const here = set?.labels.length === 0 ? undefined : text.labels();
      const asked = here && labelsOf(here, draft.name);
      const made = await createDraft(name, draft.media_type, "marked", text.marked());
      if (here === null) toastError(t`Labels were not copied. Add them again.`, NOT_KNOWN);
      if (asked) {
        // The new document exists by now: an error that says otherwise would lead to a second copy.
        await changeLabels(made.id, made.revision, asked).catch((error) =>
          toastError(t`Labels were not copied. Add them again.`, error),
        );
      }
      return made;
    },
    onSuccess: async (made) => {
      saver.stop();
      saver.drop();
      client.setQueryData(draftQuery(made.id).queryKey, made);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      announce(t`Kept as ${{ name: made.name }}`);
      await navigate({ to: "/documents/$id", params: { id: made.id }, replace: true });
    },
  });
}

const NOT_KNOWN = new Problem(0, t`The gateway had not sent them yet.`);

/** For a new document; null if all of it has the default. A raised banner needs a reason there, too. */
function labelsOf(here: LabelsAsked, from: string): LabelsAsked | null {
  const { labels, banner, compilation_reason } = here;
  if (banner === null && !labels?.some((label) => label !== null)) return null;
  const why = banner === null ? null : (compilation_reason ?? t`Copied from “${from}”, which had this banner.`);
  return { ...here, compilation_reason: why };
}

/** `report.txt` as `report (mine).txt`. */
export function mineName(name: string): string {
  const dot = name.lastIndexOf(".");
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const ending = name.slice(stem.length);
  return `${t`${stem} (mine)`}${ending}`;
}
