import type { Node } from "@tiptap/pm/model";
import { Lock } from "lucide-react";
import { comparedText, type Stretch } from "@/features/text/tiptap/engine/compared-text";
import { type Context, contextOf, type Standing } from "@/features/text/tiptap/engine/occurrences";

/** A place of the text among what stands around it, on one line. */
export function PlaceText({ doc, place, standing }: { doc: Node; place: Stretch; standing: Standing }) {
  return <PlaceLine context={contextOf(comparedText(doc, "exact"), place)} standing={standing} />;
}

export function PlaceLine({ context, standing }: { context: Context; standing: Standing }) {
  const { before, hit, after } = context;
  return (
    <span className="flex min-w-0 items-baseline font-serif text-sm">
      {/* From the right: what comes right before the place is what tells. A space at its end would go to the left. */}
      <span className="min-w-0 flex-1 truncate text-right text-quiet [direction:rtl]">
        <bdi>{before.replace(/ $/, "\u00a0")}</bdi>
      </span>
      <span className="max-w-[60%] shrink-0 truncate whitespace-pre">
        {standing !== "plain" && (
          <Lock
            role="img"
            aria-label={standing === "marked" ? "marked:" : "marked in part:"}
            className="mr-0.5 inline size-3 text-secure"
          />
        )}
        <b className={standing === "marked" ? "text-secure" : ""}>{hit}</b>
      </span>
      <span className="min-w-0 flex-1 truncate whitespace-pre text-quiet">{after}</span>
    </span>
  );
}
