import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export type BadgeTone = "plain" | "secure" | "open" | "ok" | "danger" | "quiet";

const TONES: Record<BadgeTone, string> = {
  plain: "border-edge/60 bg-sunken text-ink",
  quiet: "border-line bg-transparent text-quiet",
  secure: "border-secure-edge bg-secure-ground text-secure",
  open: "border-plain-edge border-dashed bg-plain-ground text-plain",
  ok: "border-ok/50 bg-ok-ground text-ok",
  danger: "border-danger/50 bg-danger-ground text-danger",
};

interface BadgeProps {
  /** `secure` and `open` are the two channels; `plain` is neither. */
  tone?: BadgeTone;
  icon?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A word on a small label, such as a state or a role. */
export function Badge({ tone = "plain", icon, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex h-6 items-center gap-1 whitespace-nowrap rounded-sm border px-1.5 font-medium text-xs [&_svg]:size-3.5",
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
