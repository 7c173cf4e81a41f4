import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { entryCountsQuery, latestEntriesQuery } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { toast } from "@/components/ui/toasts";
import { notify, shareNotifications } from "@/session/browser-notifications";
import { useLiveState } from "@/session/live";
import { useSession } from "@/session/session";

/** Without events. */
const POLL_MS = 30_000;

/** How many unread documents the person has; 0 for people who are not recipients. */
export function useUnreadCount(): number {
  const { has } = useSession();
  const live = useLiveState() === "live";
  const { data } = useQuery({
    ...entryCountsQuery(),
    enabled: has("recipient"),
    refetchInterval: live ? false : POLL_MS,
    refetchIntervalInBackground: true,
  });
  return data?.unread ?? 0;
}

/** Tells a recipient what arrives while any page is open: with a toast, or with a notification if no tab is visible. */
export function useArrivals(): void {
  const { person, has, status } = useSession();
  const navigate = useNavigate();
  const live = useLiveState() === "live";
  const receives = has("recipient") && status.is === "held";
  const { data: latest } = useQuery({
    ...latestEntriesQuery,
    enabled: receives,
    refetchInterval: live ? false : POLL_MS,
    refetchIntervalInBackground: true,
  });
  const sharing = useRef<{ isNotifier: () => boolean } | null>(null);
  useEffect(() => {
    if (!receives) return;
    const ended = new AbortController();
    sharing.current = shareNotifications(person.id, ended.signal);
    return () => ended.abort();
  }, [person.id, receives]);

  const open = ({ id }: EntryShown) => void navigate({ to: "/inbox/$id", params: { id } });
  const tell = useEffectEvent((arrived: readonly EntryShown[]) => {
    const [one, ...more] = arrived;
    if (!one) return;
    if (document.visibilityState !== "visible") {
      if (sharing.current?.isNotifier()) void notify(person.id, arrived, open);
    } else if (more.length === 0) {
      toast(t`New document from ${{ sender: one.sender }}`, one.name, { label: t`Open`, onAction: () => open(one) });
    } else {
      const openInbox = () => void navigate({ to: "/inbox" });
      toast(plural(arrived.length, { one: "New document", other: "# new documents" }), undefined, {
        label: t`Open inbox`,
        onAction: openInbox,
      });
    }
  });

  const before = useRef<readonly EntryShown[] | null>(null);
  useEffect(() => {
    if (!latest) return;
    const known = before.current;
    before.current = latest;
    if (known) tell(arrivals(known, latest));
  }, [latest]);
}

/**
 * The unread entries of `latest` that came after those of `known`, latest first. A restored entry came earlier, and so
 * is not among them.
 */
export function arrivals(known: readonly EntryShown[], latest: readonly EntryShown[]): EntryShown[] {
  const ids = new Set(known.map(({ id }) => id));
  const since = Math.max(0, ...known.map(({ received_at }) => Date.parse(received_at)));
  return latest.filter(
    ({ id, read_at, received_at }) => !ids.has(id) && read_at === null && Date.parse(received_at) >= since,
  );
}
