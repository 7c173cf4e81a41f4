import { plural, t } from "@lingui/core/macro";
import { useState } from "react";
import type { Options } from "@/api/plan";
import type { Mode } from "@/api/transfers";
import type { PlanEstimate } from "@/api/types";
import { Disclosure } from "@/components/ui/Disclosure";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Select } from "@/components/ui/Select";
import { spanText } from "@/lib/durations";
import { DeadlineField } from "./DeadlineField";
import type { Deadline } from "./deadline";
import { MODE_NAME } from "./modes";

export const DEFAULT_OPTIONS: Options = { mode: "auto", secure_channels: null, plain_channels: null };

/** The default limit of a gateway, until the peer's own is known. */
const DEFAULT_MOST = 8;

const MODES: readonly RadioChoice<Mode>[] = [
  {
    value: "auto",
    label: MODE_NAME.auto,
    hint: t`Uses whichever is faster to each gateway: both channels, or the secure channel only.`,
  },
  {
    value: "sieve",
    label: MODE_NAME.sieve,
    hint: t`Classified content is encrypted. The rest is sent unencrypted, but protected against changes.`,
  },
  { value: "secure-only", label: MODE_NAME["secure-only"], hint: t`Everything is encrypted.` },
];

interface SendOptionsProps {
  /** The plans for the chosen gateways, as far as they are known. */
  plans: readonly PlanEstimate[];
  options: Options;
  onOptions: (options: Options) => void;
  deadline: Deadline;
  onDeadline: (deadline: Deadline) => void;
  /** What is wrong with the deadline; then the options are shown. */
  deadlineError: string | null;
}

/** The mode, the number of channels and the deadline. */
export function SendOptions({ plans, options, onOptions, deadline, onDeadline, deadlineError }: SendOptionsProps) {
  const [open, setOpen] = useState(false);
  const { mode, secure_channels, plain_channels } = options;
  // What every chosen gateway accepts.
  const most = (of: "most_secure" | "most_plain") =>
    plans.length === 0 ? DEFAULT_MOST : Math.min(...plans.map((plan) => plan[of]));
  const summary = [
    MODE_NAME[mode],
    secure_channels !== null && plural(secure_channels, { one: "# secure", other: "# secure" }),
    plain_channels !== null && mode !== "secure-only" && t`${plain_channels} plain`,
    deadlineText(deadline),
  ].filter(Boolean);
  return (
    <Disclosure
      title={t`Options`}
      summary={summary.join(", ")}
      open={open || deadlineError !== null}
      onOpenChange={setOpen}
    >
      <div className="flex flex-col gap-5 pb-2">
        <RadioGroup
          label={t`How to send`}
          value={mode}
          onValueChange={(next) => onOptions({ ...options, mode: next })}
          choices={MODES}
        />
        <div className="grid grid-cols-2 gap-4">
          <Channels
            label={t`Secure channels`}
            value={secure_channels}
            most={most("most_secure")}
            onValueChange={(count) => onOptions({ ...options, secure_channels: count })}
          />
          <Channels
            label={t`Plain channels`}
            value={mode === "secure-only" ? null : plain_channels}
            most={most("most_plain")}
            disabled={mode === "secure-only"}
            onValueChange={(count) => onOptions({ ...options, plain_channels: count })}
          />
        </div>
        <DeadlineField value={deadline} onValueChange={onDeadline} error={deadlineError} />
      </div>
    </Disclosure>
  );
}

function deadlineText(deadline: Deadline): string | null {
  if ("at" in deadline) return deadline.at === "" ? null : t`until ${deadline.at.replace("T", " ")}`;
  return deadline.after === null ? null : t`give up after ${spanText(deadline.after)}`;
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
      choices={[{ value: "", label: t`Automatic` }, ...counts.map((count) => ({ value: count, label: count }))]}
    />
  );
}
