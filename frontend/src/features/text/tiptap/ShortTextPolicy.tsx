import { previewInText } from "@/api/policies";
import { PolicyPanel } from "@/features/workspace/panels/PolicyPanel";
import { labelsOf, useLabels } from "./labels";
import { useWorkbench } from "./workbench";

/** Marks a text by a policy: the gateway searches the text as it stands in the editor, saved or not. */
export function ShortTextPolicy({ onClose }: { onClose: () => void }) {
  const { editor, surface } = useWorkbench();
  const labels = useLabels();
  return (
    <PolicyPanel
      surface={surface}
      search={async (policy, limit, signal) => {
        const tracker = surface.track();
        try {
          const text = surface.text();
          const { hits, more } = await previewInText(policy, text.slice(0, text.length), { limit, signal });
          return { hits: hits.map((hit) => ({ ...hit, address: "text" })), more, tracker };
        } catch (error) {
          tracker.end();
          throw error;
        }
      }}
      onMark={(accepted) => {
        surface.mark(accepted, "");
        labels?.change({ spans: labelsOf(accepted, editor.state.doc, labels.set), raises: true });
      }}
      onClose={onClose}
    />
  );
}
