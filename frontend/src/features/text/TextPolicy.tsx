import { contextOf } from "@/marked-text/context";
import type { TextSpan } from "@/marked-text/markup";
import { PlaceLine } from "../workspace/panels/PlaceLine";
import { PolicyPanel } from "../workspace/panels/PolicyPanel";
import type { PolicySearch } from "../workspace/panels/policy-search";
import type { TextSurface } from "../workspace/panels/surface";
import { labelsOfHits, type TextLabels } from "./labels";

interface TextPolicyProps {
  surface: TextSurface;
  labels: TextLabels | null;
  search: PolicySearch<TextSpan>;
  onClose: () => void;
}

/** Marks a text by a policy, with the labels of its rules. */
export function TextPolicy({ surface, labels, search, onClose }: TextPolicyProps) {
  return (
    <PolicyPanel
      surface={surface}
      search={search}
      show={({ place }) => <PlaceLine context={contextOf(surface.text(), place)} state="plain" />}
      onMark={(accepted) => {
        const places = accepted.map(({ label, place }) => ({ ...place, label }));
        surface.mark(places, "");
        if (labels) labels.change({ places: labelsOfHits(places, labels.set), raises: true });
      }}
      onClose={onClose}
    />
  );
}
