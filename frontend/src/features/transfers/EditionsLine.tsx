import { Bytes } from "@/components/ui/Bytes";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { sentence } from "@/lib/prose";
import type { Editions, WithEdition } from "./use-editions";

/** Which redacted editions go along with what is sent, and why others do not. `several`: not one document alone. */
export function EditionsLine({ editions, several }: { editions: Editions; several: boolean }) {
  const { known, asked, error, retry } = editions;
  const made = known.filter(({ bytes }) => bytes !== null);
  const size = made.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  if (known.length === 0 && asked.length === 0 && !error) return null;
  return (
    <div className="wrap-anywhere flex flex-col gap-1 text-sm">
      {made.length > 0 && (
        <p>
          {goesAlong(made, several)} (
          <Bytes value={size} />
          ), for recipients who are not cleared.
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
      {asked.length > 0 && <p className="text-quiet">Making the redacted edition that goes along</p>}
      {error && (
        <ErrorPanel title="Whether a redacted edition goes along is not known." problem={error} onRetry={retry} />
      )}
    </div>
  );
}

function goesAlong(made: readonly WithEdition[], several: boolean): string {
  if (made.length > 1) return `${made.length} redacted editions go along`;
  return several ? `The redacted edition of “${made[0]?.draft.name}” goes along` : "Its redacted edition goes along";
}
