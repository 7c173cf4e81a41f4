import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Options, planQuery, type Work } from "@/api/plan";
import type { Mode } from "@/api/transfers";
import { Disclosure } from "@/components/ui/Disclosure";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Select } from "@/components/ui/Select";
import { EstimateSummary } from "./EstimateSummary";
import { MODE_NAME } from "./modes";

export const DEFAULT_OPTIONS: Options = { mode: "auto", secure_channels: null, plain_channels: null };

/** The default limit of a gateway, until the peer's own is known. */
const DEFAULT_MOST = 8;

const MODES: readonly RadioChoice<Mode>[] = [
  {
    value: "auto",
    label: MODE_NAME.auto,
    hint: "Uses whichever is faster to this gateway: both channels, or the secure channel only.",
  },
  {
    value: "sieve",
    label: MODE_NAME.sieve,
    hint: "Classified content is encrypted. The rest is sent unencrypted, but protected against changes.",
  },
  { value: "secure-only", label: MODE_NAME["secure-only"], hint: "Everything is encrypted." },
];

interface SendOptionsProps {
  peer: string | null;
  work: Work;
  options: Options;
  onOptions: (options: Options) => void;
}

/** The mode and the number of channels, with the planner's estimate. */
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
            label="How to send"
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
        </div>
      </Disclosure>
      {plan && (
        <EstimateSummary plan={plan}>
          {work.documents > 1 && " This is for all documents together."}
          {mode === "auto" && plan.mode === "secure-only" && <> Nothing is sent over the plain channel.</>}
        </EstimateSummary>
      )}
    </div>
  );
}

interface ChannelsProps {
  label: string;
  value: number | null;
  /** The limit of the peer. */
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
      choices={[{ value: "", label: "Automatic" }, ...counts.map((count) => ({ value: count, label: count }))]}
    />
  );
}
