import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Options, type PlanEstimate, planQuery, type Work } from "@/api/plan";
import type { Mode } from "@/api/transfers";
import { Disclosure } from "@/components/ui/Disclosure";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Select } from "@/components/ui/Select";
import { durationText } from "@/lib/durations";
import { listText, MODE_NAME } from "@/lib/prose";
import { forecastText } from "./estimate";

export const DEFAULT_OPTIONS: Options = { mode: "auto", secure_channels: null, plain_channels: null };

/** Where the peer's bounds are not known: as many as a gateway allows if nobody said otherwise. */
const DEFAULT_MOST = 8;

const MODES: readonly RadioChoice<Mode>[] = [
  {
    value: "auto",
    label: MODE_NAME.auto,
    hint: "Both channels, or the secure one alone: by what sending to this gateway has taken so far.",
  },
  {
    value: "sieve",
    label: MODE_NAME.sieve,
    hint: "What is classified goes encrypted; the rest goes in the clear, sealed against changes.",
  },
  { value: "secure-only", label: MODE_NAME["secure-only"], hint: "Everything goes encrypted." },
];

interface SendOptionsProps {
  peer: string | null;
  work: Work;
  options: Options;
  onOptions: (options: Options) => void;
}

/** The mode and the number of channels, and what the planner makes of them. */
export function SendOptions({ peer, work, options, onOptions }: SendOptionsProps) {
  const [open, setOpen] = useState(false);
  const { mode, secure_channels, plain_channels } = options;
  const { data: plan } = useQuery({
    ...planQuery(peer ?? "", work, options),
    enabled: peer !== null,
  });
  const summary = [
    MODE_NAME[mode],
    secure_channels !== null && `${secure_channels} secure`,
    plain_channels !== null && mode !== "secure-only" && `${plain_channels} plain`,
  ].filter(Boolean);
  return (
    <div className="flex flex-col gap-1">
      <Disclosure title="Options" summary={summary.join(", ")} open={open} onOpenChange={setOpen}>
        <div className="flex flex-col gap-5 pb-2">
          <RadioGroup
            label="How it travels"
            value={mode}
            onValueChange={(next) => onOptions({ ...options, mode: next })}
            choices={MODES}
          />
          <div className="grid grid-cols-2 gap-4">
            <Channels
              label="Secure channels"
              value={secure_channels}
              most={plan?.most_secure ?? DEFAULT_MOST}
              onValueChange={(count) => onOptions({ ...options, secure_channels: count })}
            />
            <Channels
              label="Plain channels"
              value={mode === "secure-only" ? null : plain_channels}
              most={plan?.most_plain ?? DEFAULT_MOST}
              disabled={mode === "secure-only"}
              onValueChange={(count) => onOptions({ ...options, plain_channels: count })}
            />
          </div>
          {plan && (
            <p className="wrap-anywhere text-quiet text-sm">The forecast in full: {forecastText(plan.reason)}</p>
          )}
        </div>
      </Disclosure>
      {plan && (
        <p className="wrap-anywhere text-quiet text-sm">
          {foreseen(plan, work.documents)}
          {mode === "auto" && plan.mode === "secure-only" && (
            <> That may change until it leaves; at most, the plain part below goes in the clear.</>
          )}
        </p>
      )}
    </div>
  );
}

/** "Foreseen: both channels, 2 secure and 3 plain, about 7 ms; the secure channel alone about 12 ms." */
function foreseen(plan: PlanEstimate, documents: number): string {
  const { mode, secure_channels, plain_channels, predicted_ms, other_ms } = plan;
  const both = mode === "sieve";
  const counts = [
    secure_channels > 1 && `${secure_channels} secure`,
    both && plain_channels > 1 && `${plain_channels} plain`,
  ].filter((count) => count !== false);
  const way = [both ? "both channels" : "the secure channel alone", ...(counts.length > 0 ? [listText(counts)] : [])];
  const other = both ? "the secure channel alone" : "both channels";
  const all = documents > 1 ? " for all together" : "";
  return `Foreseen${all}: ${way.join(", ")}, about ${durationText(predicted_ms)}; ${other} about ${durationText(other_ms)}.`;
}

interface ChannelsProps {
  label: string;
  value: number | null;
  /** As many as the peer allows. */
  most: number;
  disabled?: boolean;
  onValueChange: (count: number | null) => void;
}

function Channels({ label, value, most, disabled = false, onValueChange }: ChannelsProps) {
  const counts = Array.from({ length: Math.max(most, value ?? 1) }, (_, index) => String(index + 1));
  return (
    <Select
      label={label}
      value={value === null ? "" : String(value)}
      onValueChange={(count) => onValueChange(count === "" ? null : Number(count))}
      disabled={disabled}
      choices={[{ value: "", label: "As it fits" }, ...counts.map((count) => ({ value: count, label: count }))]}
    />
  );
}
