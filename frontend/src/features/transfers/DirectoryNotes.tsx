import { t } from "@lingui/core/macro";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { capitalised } from "@/lib/prose";
import { absoluteText } from "@/lib/times";
import type { DirectoryState } from "./use-directories";
import { useSlow } from "./use-slow";

/** What the author should know about the gateways' lists of people: loading, old, empty, or not loaded. */
export function DirectoryNotes({ directories }: { directories: readonly DirectoryState[] }) {
  // Many gateways only send: that this one has no recipients matters only if there is nobody else.
  const shown = directories.filter(
    ({ isOwn, people, loading, error }) => !isOwn || loading || error || people.length > 0,
  );
  return shown.map((directory) => <DirectoryNote key={directory.peer} directory={directory} />);
}

function DirectoryNote({ directory }: { directory: DirectoryState }) {
  const { peer, people, loading, refreshing, error, asOf, retry } = directory;
  const slow = useSlow(loading);
  if (error) return <ErrorPanel title={t`Could not load the recipients at ${peer}.`} problem={error} onRetry={retry} />;
  if (loading) {
    return (
      <p role="status" className="wrap-anywhere flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <span className="text-quiet">{t`Loading recipients at ${peer}…`}</span>
        {slow && (
          <>
            {t`It is slow to respond and may be down.`}
            <Button size="sm" onClick={retry}>{t`Try again`}</Button>
          </>
        )}
      </p>
    );
  }
  if (asOf !== null) {
    return (
      <p
        role="status"
        className="wrap-anywhere text-quiet text-sm"
      >{t`${capitalised(peer)} does not answer. This list is from ${absoluteText(new Date(asOf))}. You can send now: the document is sent when ${peer} is back.`}</p>
    );
  }
  if (people.length === 0 && !refreshing) {
    return (
      <p className="wrap-anywhere text-sm">
        {t`${capitalised(peer)} has no recipients yet.`}{" "}
        <span className="text-quiet">{t`An admin there needs to add people.`}</span>
      </p>
    );
  }
  return null;
}
