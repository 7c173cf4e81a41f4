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
          {includes(made, several)} (
          <Bytes value={size} />) for recipients who are not cleared.
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
      {asked.length > 0 && <p className="text-quiet">Creating the redacted edition…</p>}
      {error && (
        <ErrorPanel
          title="Could not tell whether a redacted edition will be included."
          problem={error}
          onRetry={retry}
        />
      )}
    </div>
  );
}

function includes(made: readonly WithEdition[], several: boolean): string {
  if (made.length > 1) return `Includes ${made.length} redacted editions`;
  return several ? `Includes a redacted edition of “${made[0]?.draft.name}”` : "Includes a redacted edition";
}
