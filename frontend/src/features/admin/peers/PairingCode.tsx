import { t } from "@lingui/core/macro";

/** A code to read out, in large groups. */
export function PairingCode({ code }: { code: string }) {
  return (
    <output
      aria-label={t`Our code`}
      className="block select-all font-mono text-xl tracking-wide max-sm:text-lg max-sm:tracking-normal"
    >
      {code}
    </output>
  );
}
