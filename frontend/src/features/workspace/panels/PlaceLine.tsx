import { t } from "@lingui/core/macro";
import { Lock } from "lucide-react";
import type { Context } from "@/marked-text/context";
import type { MarkState } from "@/marked-text/mark-state";

/** A place of a text and the text around it, on one line. */
export function PlaceLine({ context, state }: { context: Context; state: MarkState }) {
  const { before, hit, after } = context;
  return (
    <span className="flex min-w-0 items-baseline font-serif text-sm">
      {/* Cut at its start: the words next to the place matter most. A plain space at the end would move to the left. */}
      <span className="min-w-0 flex-1 truncate text-right text-quiet [direction:rtl]">
        <bdi>{before.replace(/ $/, "\u00a0")}</bdi>
      </span>
      <span className="max-w-[60%] shrink-0 truncate whitespace-pre">
        {state !== "plain" && (
          <Lock
            role="img"
            aria-label={state === "marked" ? t`marked:` : t`marked in part:`}
            className="mr-0.5 inline size-3 text-secure"
          />
        )}
        <b className={state === "marked" ? "text-secure" : ""}>{hit}</b>
      </span>
      <span className="min-w-0 flex-1 truncate whitespace-pre text-quiet">{after}</span>
    </span>
  );
}
