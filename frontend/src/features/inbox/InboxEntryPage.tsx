import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useIsMutating, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Download, EllipsisVertical, LockOpen, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { changeEntries, deleteEntry, entryContentUrl, entryQuery, INBOX_LISTS } from "@/api/inbox";
import { Problem } from "@/api/problem";
import type { EntryWhole } from "@/api/types";
import { announce } from "@/components/announce";
import { DownloadLink } from "@/components/DownloadLink";
import { useKeptError } from "@/components/kept-error";
import { buttonClass } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem } from "@/components/ui/Menu";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Skeleton } from "@/components/ui/Skeleton";
import { toast, toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { useMedia, WIDE } from "@/components/use-media";
import { useStillOpen } from "@/lib/use-still-open";
import { useLiveState } from "@/session/live";
import { useSession } from "@/session/session";
import { CoverNotes } from "./CoverNotes";
import { EntryContent } from "./EntryContent";
import { EntryDetails } from "./EntryDetails";
import { EntryUnavailable } from "./EntryUnavailable";
import { isWhole, unclearedText } from "./entry";
import { ForwardButton } from "./ForwardButton";
import { ReplyButton } from "./ReplyButton";

const route = getRouteApi("/in/inbox/$id");
/** How often to check that the person may still read it, while there are no events. */
const ASK_EVERY_MS = 30_000;

/** One received document. */
export function InboxEntryPage() {
  const { id } = route.useParams();
  return <Entry key={id} id={id} />;
}

function Entry({ id }: { id: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const live = useLiveState() === "live";
  const deletionKey = ["delete-entry", id];
  const deleting = useIsMutating({ mutationKey: deletionKey }) > 0;
  const { change } = useListChanges({ queryKey: "inbox", send: changeEntries });
  /** Whether the person is still on this page when the answer arrives. */
  const stillOpen = useStillOpen();
  const deletion = useMutation({
    mutationKey: deletionKey,
    mutationFn: async (_name: string) => {
      try {
        await deleteEntry(id);
      } catch (error) {
        // Another tab has already deleted it.
        if (!(error instanceof Problem && error.status === 404)) throw error;
      }
    },
    onSuccess: async (_, name) => {
      toast(t`Deleted`, name, { label: t`Undo`, onAction: () => void change([id], "restore", { name }) });
      if (stillOpen.current) await navigate({ to: "/inbox", replace: true });
      client.removeQueries({ queryKey: entryQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: ["inbox"] });
    },
    onError: (error) => toastError(t`Could not delete the document.`, error),
  });
  const found = useQuery({
    ...entryQuery(id),
    // The event about the deletion may arrive before the answer; another request would then fail.
    enabled: !deleting && !deletion.isSuccess,
    refetchInterval: live ? false : ASK_EVERY_MS,
  });
  const { data: entry, refetch } = found;
  const { error } = useKeptError(found);

  const refused = error instanceof Problem && (error.status === 403 || error.status === 404) ? error : null;
  // Not while this page itself deletes it.
  if (refused && deletion.isIdle) return <EntryUnavailable problem={refused} name={entry?.name ?? null} />;
  if (!entry) return <Loading error={error} onRetry={refetch} />;
  return (
    <Shown
      entry={entry}
      error={refused ? null : error}
      onRetry={refetch}
      deleting={deletion.isPending}
      onDelete={() => deletion.mutate(entry.name)}
    />
  );
}

function Loading({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  return error ? (
    <>
      <PageHeader title={t`Received document`} above={<Back />} />
      <ErrorPanel title={t`Could not load the document.`} problem={error} onRetry={onRetry} />
    </>
  ) : (
    <Skeleton lines={3} label={t`Loading the document`} className="max-w-xl" />
  );
}

interface ShownProps {
  entry: EntryWhole;
  /** Why it could not be updated. */
  error: unknown;
  onRetry: () => unknown;
  deleting: boolean;
  onDelete: () => void;
}

function Shown({ entry, error, onRetry, deleting, onDelete }: ShownProps) {
  const { person } = useSession();
  const wide = useMedia(WIDE);
  const whole = isWhole(entry);
  const taken = useClearanceTaken(whole);
  const best = entry.editions[0];
  const details = <EntryDetails key={String(whole)} entry={entry} />;
  return (
    <>
      <PageHeader
        title={entry.name}
        above={<Back />}
        actions={
          <div className="flex flex-wrap gap-2 print:hidden">
            <ReplyButton entry={entry} />
            <ForwardButton entry={entry} />
            {/* On a phone they are on the next line together. */}
            <div className="flex gap-2">
              {best && (
                <DownloadLink href={entryContentUrl(entry.id, best)} className={buttonClass("primary")}>
                  <Download aria-hidden />
                  {best === "full" ? t`Download` : t`Download redacted`}
                </DownloadLink>
              )}
              <Menu trigger={<IconButton label={t`More`} icon={<EllipsisVertical />} disabled={deleting} />}>
                <MenuItem icon={<Trash2 aria-hidden />} tone="danger" onClick={onDelete}>
                  {t`Delete`}
                </MenuItem>
              </Menu>
            </div>
          </div>
        }
      >
        <span className="print:hidden">
          <Trans>
            From {entry.sender} at {entry.peer}, <RelativeTime at={entry.received_at} />
          </Trans>
        </span>
        {!person.is_author && (
          <span className="block text-sm print:hidden">
            {t`Only authors can reply or forward. Ask an admin for the author role.`}
          </span>
        )}
      </PageHeader>
      {error !== null && (
        <ErrorPanel
          title={t`Could not check for updates.`}
          problem={error}
          onRetry={onRetry}
          className="mb-4 print:hidden"
        />
      )}
      {taken && (
        <p className="mb-4 flex items-start gap-3 rounded-md border border-secure-edge bg-secure-ground px-4 py-3 text-sm">
          <LockOpen aria-hidden className="mt-0.5 size-4 shrink-0 text-secure" />
          {t`Your clearance was removed while you were reading. Classified text is no longer shown.`}
        </p>
      )}
      <div className="lg:grid lg:grid-cols-[minmax(0,52rem)_minmax(19rem,1fr)] lg:items-start lg:gap-8 print:block">
        {wide ? (
          <aside
            aria-label={t`About this document`}
            className="sticky top-20 order-last max-h-[calc(100dvh-6rem)] overflow-y-auto print:hidden"
          >
            {details}
          </aside>
        ) : (
          <details className="mb-4 rounded-lg bg-paper shadow-sheet print:hidden">
            <summary className="cursor-pointer px-4 py-3 font-medium text-sm">{t`Details, downloads and receipt`}</summary>
            <div className="border-line border-t p-4">{details}</div>
          </details>
        )}
        <div className="min-w-0">
          <CoverNotes entry={entry} />
          {!whole && entry.editions.length > 0 && (
            <p className="mb-2 text-quiet text-sm print:hidden">{unclearedText(entry)}</p>
          )}
          <div data-contains-classified={entry.classified_bytes ? "" : undefined}>
            <EntryContent entry={entry} />
          </div>
        </div>
      </div>
    </>
  );
}

function Back() {
  return (
    <Link to="/inbox" className="tap inline-flex min-h-6 items-center gap-1 print:hidden">
      <ArrowLeft aria-hidden className="size-3.5" />
      {t`Inbox`}
    </Link>
  );
}

/** Whether the reader has lost clearance since the page was opened. Then it also empties cached lists. */
function useClearanceTaken(whole: boolean): boolean {
  const client = useQueryClient();
  const [was, setWas] = useState(whole);
  if (whole && !was) setWas(true);
  const taken = was && !whole;
  useEffect(() => {
    if (!taken) return;
    client.removeQueries({ queryKey: INBOX_LISTS, type: "inactive" });
    announce(t`Your clearance was removed. Classified text is no longer shown.`);
  }, [taken, client]);
  return taken;
}
