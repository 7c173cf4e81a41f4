import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { StorageShown } from "@/api/storage";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { sizeText } from "@/lib/sizes";

/** When `sieve backup` ran last, and what it found. */
export function LastBackup({ backup }: { backup: StorageShown["backup"] }) {
  if (backup === null) {
    return (
      <p className="max-w-prose text-sm">
        <Trans>
          This gateway knows of no backup. Make one on its machine:{" "}
          <code className="whitespace-nowrap text-sm">sieve backup DIR</code>
        </Trans>
      </p>
    );
  }
  const { taken_at, bytes, damaged } = backup;
  const size = sizeText(bytes);
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p>
        <Trans>
          <RelativeTime at={taken_at} />, {size}
        </Trans>
      </p>
      {damaged > 0 && (
        <p className="text-danger">
          {plural(damaged, {
            one: "# file of a document was missing or changed. Look for it in earlier backups.",
            other: "# files of documents were missing or changed. Look for them in earlier backups.",
          })}
        </p>
      )}
    </div>
  );
}
