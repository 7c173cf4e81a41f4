import { previewInDraft } from "@/api/policies";
import { Problem } from "@/api/problem";
import { given } from "@/features/workspace/panels/carried";
import { PolicyPanel } from "@/features/workspace/panels/PolicyPanel";
import type { TextSurface } from "@/features/workspace/panels/surface";
import { useSaver } from "@/features/workspace/saving/saving";
import type { LongTextLabels } from "./labels";

interface LongTextPolicyProps {
  id: string;
  surface: TextSurface;
  labels: LongTextLabels | null;
  onClose: () => void;
}

/** Marks a long text by a policy: the gateway searches what is saved. */
export function LongTextPolicy({ id, surface, labels, onClose }: LongTextPolicyProps) {
  const saver = useSaver();
  return (
    <PolicyPanel
      surface={surface}
      search={async (policy, limit, signal) => {
        const { phase, revision } = await saver.flush();
        if (phase.is !== "saved")
          throw new Problem(0, "Only saved changes can be searched, and the latest could not be saved.");
        const tracker = surface.track();
        try {
          const [found] = await Promise.all([previewInDraft(id, policy, limit, signal), tracker.ready()]);
          if (found.revision !== revision)
            throw new Problem(0, "The document was saved elsewhere during the search. Search again.");
          return { ...found, tracker };
        } catch (error) {
          tracker.end();
          throw error;
        }
      }}
      onMark={(accepted) => {
        surface.mark(accepted, "");
        const places = accepted.flatMap((place) => {
          const label = labels && given(labels.set, place.label);
          return label ? [{ place, label }] : [];
        });
        labels?.change({ places, raises: true });
      }}
      onClose={onClose}
    />
  );
}
