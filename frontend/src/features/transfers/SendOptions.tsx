import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Options, planQuery } from "@/api/plan";
import type { Mode } from "@/api/transfers";
import type { DraftShown } from "@/api/types";
import { Disclosure } from "@/components/ui/Disclosure";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Select } from "@/components/ui/Select";
import { MODE_NAME } from "./words";

export const AS_USUAL: Options = { mode: "auto", secure_channels: null, plain_channels: null };

/** Where the peer's bounds are not known: as many as a gateway allows if nobody said otherwise. */
const USUAL_MOST = 8;

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
  draft: DraftShown;
  options: Options;
  onOptions: (options: Options) => void;
}

/** The mode and the number of channels, and what the planner makes of them. */
export function SendOptions({ peer, draft, options, onOptions }: SendOptionsProps) {
  const [open, setOpen] = useState(false);
  const { mode, secure_channels, plain_channels } = options;
  const { data: plan } = useQuery({
    ...planQuery(peer ?? "", draft.document_bytes, draft.classified_bytes, options),
    enabled: peer !== null,
  });
  const told = [
    MODE_NAME[mode],
    secure_channels !== null && `${secure_channels} secure`,
    plain_channels !== null && mode !== "secure-only" && `${plain_channels} plain`,
  ].filter(Boolean);
  return (
    <div className="flex flex-col gap-1">
      <Disclosure title="Options" summary={told.join(", ")} open={open} onOpenChange={setOpen}>
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
              most={plan?.most_secure ?? USUAL_MOST}
              onValueChange={(count) => onOptions({ ...options, secure_channels: count })}
            />
            <Channels
              label="Plain channels"
              value={mode === "secure-only" ? null : plain_channels}
              most={plan?.most_plain ?? USUAL_MOST}
              disabled={mode === "secure-only"}
              onValueChange={(count) => onOptions({ ...options, plain_channels: count })}
            />
          </div>
        </div>
      </Disclosure>
      {plan && (
        <p className="wrap-anywhere text-quiet text-sm">
          Foreseen: {plan.reason}.
          {mode === "auto" && plan.mode === "secure-only" && " At most, the plain part goes in the clear."}
        </p>
      )}
    </div>
  );
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
