import { Lock } from "lucide-react";
import { FindingsPanel } from "@/features/workspace/panels/FindingsPanel";
import { ShareSummary } from "@/features/workspace/panels/ShareSummary";
import type { TextSpan } from "@/marked-text/markup";
import { EAVESDROPPING } from "../TextTools";
import type { Range } from "./engine/commands";
import { SpanList } from "./SpanList";
import { useWatched, useWorkbench } from "./workbench";

interface SpansPanelProps {
  /** Nothing can be changed. */
  readOnly: boolean;
  onJump: (range: Range) => void;
  onPlace: (place: TextSpan) => void;
}

/** How much of the document is classified, and what; and what is so in one place only. */
export function SpansPanel({ readOnly, onJump, onPlace }: SpansPanelProps) {
  const { leaks, surface } = useWorkbench();
  const { counts, spans } = useWatched();
  return (
    <div className="flex max-h-full min-h-0 flex-col gap-4">
      <ShareSummary counts={counts} />
      {readOnly && <p className="text-quiet text-sm">{EAVESDROPPING}.</p>}
      <FindingsPanel
        surface={surface}
        leaks={leaks}
        readOnly={readOnly}
        onJump={onPlace}
        hint={null}
        className="max-h-[30dvh] max-sm:max-h-[44dvh] lg:max-h-[38dvh]"
      />
      <div className="flex items-baseline justify-between border-line border-t pt-4">
        <h2 className="font-medium text-sm">Classified spans</h2>
        <span data-spans className="text-quiet text-sm">
          {spans.length.toLocaleString("en")}
        </span>
      </div>
      {spans.length === 0 ? <HowToMark /> : <SpanList spans={spans} readOnly={readOnly} onJump={onJump} />}
    </div>
  );
}

function HowToMark() {
  return (
    <div className="flex gap-3 rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
      <Lock aria-hidden className="mt-0.5 size-4 shrink-0 text-secure" />
      <p>
        Nothing is marked yet, so all of it would travel readable. Select what must stay secret and press <b>Mark</b>.
      </p>
    </div>
  );
}
