import { plural, t } from "@lingui/core/macro";
import { ChevronDown, ChevronUp, List } from "lucide-react";
import { ChannelIcon } from "@/components/channels";
import { IconButton } from "@/components/ui/IconButton";
import { numberText } from "@/lib/numbers";

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
  if (count === 0) {
    return <p className="px-1 text-quiet text-sm">{gaps ? t`Nothing is withheld` : t`Nothing is classified`}</p>;
  }
  const total = numberText(count);
  const placeText = (place: string) => (gaps ? t`${place} of ${total} withheld` : t`${place} of ${total} classified`);
  const countText = gaps
    ? plural(count, { one: "# withheld part", other: "# withheld parts" })
    : plural(count, { one: "# classified part", other: "# classified parts" });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label={gaps ? t`Withheld places` : t`Classified parts`} className="flex items-center">
      <p role="status" className="flex items-center gap-1.5 pr-2 text-secure text-sm max-sm:pr-0">
        <ChannelIcon channel="secure" />
        {/* As wide as its longest text, so that the buttons do not move. */}
        <span
          data-widest={[placeText(total), countText].sort((one, other) => other.length - one.length)[0]}
          className="grid items-center tabular-nums before:invisible before:col-start-1 before:row-start-1 before:content-[attr(data-widest)]"
        >
          <span className="col-start-1 row-start-1">
            {at >= 0 && placeText(numberText(at + 1))}
            {at < 0 && countText}
          </span>
        </span>
      </p>
      <IconButton
        label={gaps ? t`Previous withheld place` : t`Previous classified part`}
        icon={<ChevronUp />}
        size="sm"
        onClick={() => onStep(-1)}
      />
      <IconButton
        label={gaps ? t`Next withheld place` : t`Next classified part`}
        icon={<ChevronDown />}
        size="sm"
        onClick={() => onStep(1)}
      />
      {onList && <IconButton label={t`List classified text`} icon={<List />} size="sm" onClick={onList} />}
    </div>
  );
}
