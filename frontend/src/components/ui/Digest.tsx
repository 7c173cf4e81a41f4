import { t } from "@lingui/core/macro";
import { cx } from "@/lib/cx";
import { CopyButton } from "./CopyButton";

/** A digest or key in hexadecimal: its two ends, with all of it as the title, and a button that copies it. */
export function Digest({ value, what = t`digest`, className }: { value: string; what?: string; className?: string }) {
  const short = value.length > 20 ? `${value.slice(0, 8)}…${value.slice(-8)}` : value;
  return (
    <span className={cx("inline-flex items-center gap-1", className)}>
      <code className="font-mono text-[0.8125rem]" title={value}>
        {short}
      </code>
      <CopyButton text={value} what={what} />
    </span>
  );
}
