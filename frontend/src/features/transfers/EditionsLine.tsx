import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Bytes } from "@/components/ui/Bytes";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { sentence } from "@/lib/prose";
import type { Editions, WithEdition } from "./use-editions";

/** Which redacted editions are included, and why others are not. `several`: more than one document is sent. */
export function EditionsLine({ editions, several }: { editions: Editions; several: boolean }) {
  const { known, asked, error, retry } = editions;
  const made = known.filter(({ bytes }) => bytes !== null);
  const size = made.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  if (known.length === 0 && asked.length === 0 && !error) return null;
  return (
    <div className="wrap-anywhere flex flex-col gap-1 text-sm">
      {made.length > 0 && (
        <p>
          <Included made={made} several={several} size={<Bytes value={size} />} />
        </p>
      )}
      {known.map(
        ({ draft, note }) =>
          note !== null && (
            <p key={draft.id} className="text-quiet">
              {several ? `“${draft.name}”: ${note}.` : sentence(note)}
            </p>
          ),
      )}
      {asked.length > 0 && <p className="text-quiet">{t`Creating the redacted edition…`}</p>}
      {error && (
        <ErrorPanel
          title={t`Could not tell whether a redacted edition will be included.`}
          problem={error}
          onRetry={retry}
        />
      )}
    </div>
  );
}

function Included({ made, several, size }: { made: readonly WithEdition[]; several: boolean; size: ReactNode }) {
  if (made.length > 1)
    return (
      <Trans>
        Includes {made.length} redacted editions ({size}) for recipients who are not cleared.
      </Trans>
    );
  const name = made[0]?.draft.name ?? "";
  return several ? (
    <Trans>
      Includes a redacted edition of “{name}” ({size}) for recipients who are not cleared.
    </Trans>
  ) : (
    <Trans>Includes a redacted edition ({size}) for recipients who are not cleared.</Trans>
  );
}
