import { CircleCheck, CircleX } from "lucide-react";
import type { VerificationShown } from "@/api/types";
import { Digest } from "@/components/ui/Digest";
import { cx } from "@/lib/cx";

/** What was checked, each with its sentence. It is read out when it appears. */
export function VerificationList({ id, verification }: { id: string; verification: VerificationShown }) {
  const { valid, checks, signer, key } = verification;
  return (
    <div
      id={id}
      role={valid ? "status" : "alert"}
      className={cx(
        "flex flex-col gap-2 rounded-md border px-4 py-3 text-sm",
        valid ? "border-ok/50 bg-ok-ground" : "border-danger/50 bg-danger-ground",
      )}
    >
      <p className="font-medium">
        {valid ? "Receipt and stored document still fit." : "Receipt and stored document do not fit."}
      </p>
      <ul className="flex flex-col gap-1.5">
        {checks.map(({ name, ok, says }) => (
          <li key={name} className="flex items-start gap-2">
            {ok ? (
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
            )}
            <span className="wrap-anywhere min-w-0">
              <span className="sr-only">{ok ? "Holds: " : "Does not hold: "}</span>
              {says}
            </span>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-x-2 text-quiet">
        Key of {signer} <Digest value={key} what={`key of ${signer}`} />
      </p>
    </div>
  );
}
