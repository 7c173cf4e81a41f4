/**
 * Notifications of the browser about received documents. Each person chooses in each browser whether they appear, and
 * whether they show document names.
 *
 * Invariant: one notification for each arrival, however many tabs there are, and none while any tab is visible. Each
 * visible tab shares the lock `sieve-visible-…`; the one tab that holds `sieve-notifier-…` shows the notifications.
 */
import { plural, t } from "@lingui/core/macro";
import type { EntryShown } from "@/api/types";

export type NotificationChoice = "off" | "sender" | "name";

/** `unsupported`: this browser shows none for this page, for example because it did not come over HTTPS. */
export type NotificationPermissionState = "unsupported" | "default" | "granted" | "denied";

const keyOf = (personId: string) => `sieve-notifications-${personId}`;

export function notificationPermission(): NotificationPermissionState {
  if (typeof Notification === "undefined" || !navigator.locks) return "unsupported";
  return Notification.permission;
}

export function notificationChoice(personId: string): NotificationChoice {
  try {
    const stored = localStorage.getItem(keyOf(personId));
    return stored === "sender" || stored === "name" ? stored : "off";
  } catch {
    return "off";
  }
}

/** Stores the choice, and asks the browser for permission if it is needed. Call it after a click. */
export async function chooseNotifications(
  personId: string,
  choice: NotificationChoice,
): Promise<NotificationPermissionState> {
  if (choice !== "off" && notificationPermission() === "default") await Notification.requestPermission();
  const permission = notificationPermission();
  try {
    if (choice === "off" || permission !== "granted") localStorage.removeItem(keyOf(personId));
    else localStorage.setItem(keyOf(personId), choice);
  } catch {
    // Without storage nothing is chosen.
  }
  return permission;
}

/** Takes part in choosing the tab that shows notifications, until `ended`. */
export function shareNotifications(personId: string, ended: AbortSignal): { isNotifier: () => boolean } {
  let notifies = false;
  if (navigator.locks) {
    hold(`sieve-notifier-${personId}`, "exclusive", ended, () => {
      notifies = true;
    });
    let hidden = new AbortController();
    const follow = () => {
      hidden.abort();
      hidden = new AbortController();
      if (document.visibilityState === "visible") {
        hold(visibleLock(personId), "shared", AbortSignal.any([hidden.signal, ended]), () => {});
      }
    };
    follow();
    document.addEventListener("visibilitychange", follow, { signal: ended });
  }
  return { isNotifier: () => notifies };
}

/** Shows a notification about these entries, unless a tab is visible or the person does not want it. */
export async function notify(
  personId: string,
  entries: readonly EntryShown[],
  onClick: (entry: EntryShown) => void,
): Promise<void> {
  const choice = notificationChoice(personId);
  const [first] = entries;
  if (choice === "off" || !first || notificationPermission() !== "granted") return;
  const { held = [] } = await navigator.locks.query();
  if (held.some(({ name }) => name === visibleLock(personId))) return;
  try {
    const shown = new Notification(titleOf(entries), { body: bodyOf(entries, choice), tag: `sieve-${first.id}` });
    shown.onclick = () => {
      window.focus();
      shown.close();
      onClick(first);
    };
  } catch {
    // Chrome on Android has the constructor, but refuses it to pages.
  }
}

function titleOf(entries: readonly EntryShown[]): string {
  return plural(entries.length, { one: "New document", other: "# new documents" });
}

function bodyOf(entries: readonly EntryShown[], choice: "sender" | "name"): string {
  const lines = entries.slice(0, 3).map(({ name, sender, peer }) => {
    const from = t`From ${sender} at ${peer}`;
    return choice === "name" ? `${name}\n${from}` : from;
  });
  return [...new Set(lines)].join("\n");
}

function visibleLock(personId: string): string {
  return `sieve-visible-${personId}`;
}

/** Requests a lock and holds it until `until`. */
function hold(name: string, mode: LockMode, until: AbortSignal, onHeld: () => void): void {
  if (until.aborted) return;
  const held = () =>
    new Promise<void>((resolve) => {
      if (until.aborted) resolve();
      else {
        onHeld();
        until.addEventListener("abort", () => resolve(), { once: true });
      }
    });
  navigator.locks.request(name, { mode, signal: until }, held).catch(() => {
    // Only our own abort rejects.
  });
}
