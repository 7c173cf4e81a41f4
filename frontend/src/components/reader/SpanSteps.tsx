import { ChevronDown, ChevronUp, List } from "lucide-react";
import { ChannelIcon } from "@/components/channels";
import { IconButton } from "@/components/ui/IconButton";

interface SpanStepsProps {
  count: number;
  /** The index of the current span, or -1. */
  at: number;
  gaps: boolean;
  onStep: (step: 1 | -1) => void;
  /** Opens the list of spans; null for withheld text. */
  onList: (() => void) | null;
}

/** Shows how many parts are classified or withheld, with buttons to the previous and the next one. */
export function SpanSteps({ count, at, gaps, onStep, onList }: SpanStepsProps) {
  const what = gaps ? "withheld" : "classified";
  if (count === 0) return <p className="px-1 text-quiet text-sm">Nothing is {what}</p>;
  const total = count.toLocaleString("en");
  const place = gaps ? "place" : "part";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label={gaps ? "Withheld places" : "Classified parts"} className="flex items-center">
      <p role="status" className="flex items-center gap-1.5 pr-2 text-secure text-sm max-sm:pr-0">
        <ChannelIcon channel="secure" />
        {/* As wide as its longest text, so that the buttons do not move. */}
        <span
          data-widest={`${total} of ${total} ${what}`}
          className="grid items-center tabular-nums before:invisible before:col-start-1 before:row-start-1 before:content-[attr(data-widest)]"
        >
          <span className="col-start-1 row-start-1">
            {at < 0 ? `${total} ${what}` : `${(at + 1).toLocaleString("en")} of ${total} ${what}`}
          </span>
        </span>
      </p>
      <IconButton label={`Previous ${what} ${place}`} icon={<ChevronUp />} size="sm" onClick={() => onStep(-1)} />
      <IconButton label={`Next ${what} ${place}`} icon={<ChevronDown />} size="sm" onClick={() => onStep(1)} />
      {onList && <IconButton label="List classified text" icon={<List />} size="sm" onClick={onList} />}
    </div>
  );
}
