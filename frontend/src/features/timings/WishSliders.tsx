import { plural, t } from "@lingui/core/macro";
import type { TimingsCapacity } from "@/api/timings";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { percentText } from "@/lib/percent";
import { sizeText, sizeUnit } from "@/lib/sizes";
import { LIMITS, type Wish } from "./capacity";
import { rateText, rateUnit } from "./queue";
import { Slider } from "./Slider";

const MODES = ["auto", "sieve", "secure-only"] as const;
const MODE_LABEL = { auto: t`Automatic`, sieve: t`Both channels`, "secure-only": t`Secure channel only` };
const CHANNELS = { name: t`channels`, size: 1 };

interface WishSlidersProps {
  wish: Wish;
  /** What the shown answer is about, for what is not wished. */
  asked: TimingsCapacity["asked"];
  onChange: (wish: Wish) => void;
}

/** The load and the document to ask about. */
export function WishSliders({ wish, asked, onChange }: WishSlidersProps) {
  const mode = wish.send_mode ?? "auto";
  const change = (changed: Wish) => onChange({ ...wish, ...changed });
  const size = wish.document_bytes ?? asked.document_bytes;
  const rate = wish.rate ?? asked.rate_per_s;
  const channels = (count: number) => plural(count, { one: "# channel", other: "# channels" });
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-1">
        <span className="font-medium text-sm">{t`Mode`}</span>
        <SegmentedControl
          label={t`Mode`}
          value={mode}
          onValueChange={(value) => {
            const { send_mode: _, ...others } = wish;
            onChange(value === "auto" ? others : { ...others, send_mode: value });
          }}
          segments={MODES.map((value) => ({ value, label: MODE_LABEL[value] }))}
        />
      </div>
      <Slider
        label={t`Arrival rate`}
        value={rate}
        limits={LIMITS.rate}
        logarithmic
        text={rateText}
        unit={rateUnit(rate)}
        onChange={(perSecond) => change({ rate: perSecond })}
      />
      <Slider
        label={t`Document size`}
        value={size}
        limits={LIMITS.document_bytes}
        logarithmic
        text={sizeText}
        unit={sizeUnit(size)}
        onChange={(bytes) => change({ document_bytes: Math.round(bytes) })}
      />
      <Slider
        label={t`Share classified`}
        value={wish.classified_share ?? asked.classified_share}
        limits={LIMITS.classified_share}
        step={0.01}
        text={percentText}
        unit={{ name: "%", size: 0.01 }}
        onChange={(share) => change({ classified_share: share })}
      />
      <Slider
        label={t`Documents sent together`}
        value={wish.documents ?? asked.documents}
        limits={LIMITS.documents}
        text={(count) => plural(count, { one: "# document", other: "# documents" })}
        unit={{ name: t`documents`, size: 1 }}
        onChange={(documents) => change({ documents: Math.round(documents) })}
      />
      <Slider
        label={t`Secure channels`}
        value={wish.secure_channels ?? asked.secure_channels}
        limits={LIMITS.secure_channels}
        text={channels}
        unit={CHANNELS}
        onChange={(count) => change({ secure_channels: Math.round(count) })}
      />
      <Slider
        label={t`Plain channels`}
        value={wish.plain_channels ?? asked.plain_channels}
        limits={LIMITS.plain_channels}
        text={channels}
        unit={CHANNELS}
        disabled={mode === "secure-only"}
        onChange={(count) => change({ plain_channels: Math.round(count) })}
      />
    </div>
  );
}
