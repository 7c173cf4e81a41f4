/** The banner of an open file. Its labels stand in its marks; the banner is changed at the gateway once these are saved. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeLabels, draftLabelsQuery, labelSetQuery } from "@/api/labels";
import { Problem } from "@/api/problem";
import { toastError } from "@/components/ui/toasts";
import type { BannerChange, BannerLabels } from "../workspace/panels/LabelBanner";
import { useSaveState } from "../workspace/saving/saving";
import { useOpenFile } from "./open-file";

/** Null where there are no labels. */
export function useFileBanner(): BannerLabels | null {
  const { id, saver } = useOpenFile();
  const client = useQueryClient();
  const { phase, revision } = useSaveState();
  const { data: set } = useQuery(labelSetQuery);
  const any = set !== undefined && set.labels.length > 0;
  const { data: draft = null } = useQuery({ ...draftLabelsQuery(id, revision), enabled: any && phase.is === "saved" });
  const [lowering, setLowering] = useState<BannerChange | null>(null);

  const changing = useMutation({
    // One after the other: what is wished last is what counts, and its answer is the last.
    scope: { id: `banner of ${id}` },
    mutationFn: async ({ change: { banner }, why }: { change: BannerChange; why: string | null }) => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved")
        throw new Problem(0, "The banner applies to the saved marks, and they could not be saved.");
      return changeLabels(id, revision, {
        labels: null,
        banner: banner.name,
        compilation_reason: banner.reason || null,
        lowering_reason: why,
      });
    },
    onSuccess: (labelled) => {
      client.setQueryData(draftLabelsQuery(id, labelled.revision).queryKey, labelled);
      setLowering(null);
    },
    onError: (error, { change }) => {
      if (error instanceof Problem && error.status === 409 && error.extra.kind === "lowering") setLowering(change);
      else toastError("The banner was not changed.", error);
    },
  });
  if (!any) return null;
  return {
    set,
    draft,
    change: (change) => changing.mutate({ change, why: null }),
    lowering,
    lower: (why) => lowering && changing.mutate({ change: lowering, why }),
    giveUp: () => setLowering(null),
  };
}
