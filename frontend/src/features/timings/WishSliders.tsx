import type { TimingsCapacity } from "@/api/timings";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { percentText } from "@/lib/percent";
import { countText } from "@/lib/prose";
import { sizeText } from "@/lib/sizes";
import { LIMITS, type Wish } from "./capacity";
import { rateText } from "./queue";
import { Slider } from "./Slider";

const MODES = ["auto", "sieve", "secure-only"] as const;
const MODE_LABEL = { auto: "Faster one", sieve: "Both channels", "secure-only": "Secure only" };
const CHANNELS = { name: "channels", size: 1 };

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
  const channels = (count: number) => countText(count, "channel", "channels");
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-1">
        <span className="font-medium text-sm">Mode</span>
        <SegmentedControl
          label="Mode"
          value={mode}
          onValueChange={(value) => {
            const { send_mode: _, ...others } = wish;
            onChange(value === "auto" ? others : { ...others, send_mode: value });
          }}
          segments={MODES.map((value) => ({ value, label: MODE_LABEL[value] }))}
        />
      </div>
      <Slider
        label="Arrival rate"
        value={wish.rate ?? asked.rate_per_s}
        limits={LIMITS.rate}
        logarithmic
        text={rateText}
        unit={{ name: "per second", size: 1 }}
        onChange={(rate) => change({ rate })}
      />
      <Slider
        label="Document size"
        value={wish.document_bytes ?? asked.document_bytes}
        limits={LIMITS.document_bytes}
        logarithmic
        text={sizeText}
        unit={{ name: "MB", size: 1_000_000 }}
        onChange={(size) => change({ document_bytes: Math.round(size) })}
      />
      <Slider
        label="Share classified"
        value={wish.classified_share ?? asked.classified_share}
        limits={LIMITS.classified_share}
        step={0.01}
        text={percentText}
        unit={{ name: "%", size: 0.01 }}
        onChange={(share) => change({ classified_share: share })}
      />
      <Slider
        label="Documents sent together"
        value={wish.documents ?? asked.documents}
        limits={LIMITS.documents}
        text={(count) => countText(count, "document", "documents")}
        unit={{ name: "documents", size: 1 }}
        onChange={(documents) => change({ documents: Math.round(documents) })}
      />
      <Slider
        label="Secure channels"
        value={wish.secure_channels ?? asked.secure_channels}
        limits={LIMITS.secure_channels}
        text={channels}
        unit={CHANNELS}
        onChange={(count) => change({ secure_channels: Math.round(count) })}
      />
      <Slider
        label="Plain channels"
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
