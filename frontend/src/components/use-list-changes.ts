import { plural, t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { MOST_IN_ARCHIVE } from "@/api/inbox";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { toast, toastError } from "@/components/ui/toasts";
import { numberText } from "@/lib/numbers";
import { saveBlob } from "@/lib/save-blob";

/** What a list can do to its rows; each list has some of these. */
type AnyChange =
  | "read"
  | "unread"
  | "delete"
  | "restore"
  | "delete forever"
  | "tag"
  | "untag"
  | "template"
  | "not template"
  | "cancel"
  | "retry";

interface Changed {
  ids: string[];
  /** How many drafts were not deleted, because they are being sent. */
  under_way?: number;
  /** How many inbox entries were not deleted forever, because a reset locked them. */
  locked?: number;
}

interface Asked {
  tag?: string;
  /** The name of the one document that is changed. */
  name?: string;
}

interface ListChanges<Change extends AnyChange> {
  /** The first key of the queries that a change outdates. */
  queryKey: string;
  send: (ids: readonly string[], change: Change, tag: string | null) => Promise<Changed>;
}

/** Changes and downloads of several rows of a list, with their toasts. A deletion can be undone from its toast. */
export function useListChanges<Change extends AnyChange>({ queryKey, send }: ListChanges<Change>) {
  const client = useQueryClient();
  const [pending, setPending] = useState(0);

  const during = async <Result>(work: Promise<Result>) => {
    setPending((count) => count + 1);
    try {
      return await work;
    } finally {
      setPending((count) => count - 1);
      void client.invalidateQueries({ queryKey: [queryKey] });
    }
  };
  /** Resolves with the IDs of the changed rows; null if it failed. */
  const change = async (ids: readonly string[], what: Change, asked: Asked = {}): Promise<string[] | null> => {
    try {
      const changed = await during(send(ids, what, asked.tag ?? null));
      // The toast, which had the focus, is gone after Undo. A list that deletes also restores.
      const undo = () => void change(changed.ids, "restore" as Change, asked).then(focusHeading);
      report(what, ids.length, changed, asked, undo);
      return changed.ids;
    } catch (error) {
      toastError(failedText(what), error);
      return null;
    }
  };
  const download = async (ids: readonly string[], archive: () => Promise<Blob>, file: string): Promise<void> => {
    if (ids.length > MOST_IN_ARCHIVE) {
      const most = numberText(MOST_IN_ARCHIVE);
      toastError(t`Too many documents for one download.`, new Error(t`Select ${most} documents or fewer.`));
      return;
    }
    try {
      saveBlob(await during(archive()), file);
      toast(t`Downloaded as ${file}`);
    } catch (error) {
      toastError(t`Could not download the documents.`, error);
    }
  };
  return { change, download, busy: pending > 0 };
}

function report(what: AnyChange, asked: number, changed: Changed, { tag, name }: Asked, undo: () => void): void {
  const count = changed.ids.length;
  const left = asked - count;
  switch (what) {
    case "read":
      announce(plural(count, { one: "# document marked as read", other: "# documents marked as read" }));
      break;
    case "unread":
      announce(plural(count, { one: "# document marked as unread", other: "# documents marked as unread" }));
      break;
    case "tag":
      announce(plural(count, { one: `# document tagged ${tag}`, other: `# documents tagged ${tag}` }));
      break;
    case "untag":
      announce(
        plural(count, { one: `Tag ${tag} removed from # document`, other: `Tag ${tag} removed from # documents` }),
      );
      break;
    case "delete": {
      const underWay = underWayText(changed.under_way ?? 0);
      const title = plural(count, { one: "# document deleted", other: "# documents deleted" });
      const named = name === undefined ? title : t`Deleted`;
      if (count === 0) toast(t`Nothing deleted`, underWay);
      else toast(named, name ?? underWay, { label: t`Undo`, onAction: undo });
      break;
    }
    case "restore":
      toast(plural(count, { one: "# document restored", other: "# documents restored" }), name);
      break;
    case "delete forever": {
      const locked = lockedText(changed.locked ?? 0);
      const title = plural(count, { one: "# document deleted forever", other: "# documents deleted forever" });
      if (count === 0 && locked) toast(t`Nothing deleted`, locked);
      else toast(title, name ?? locked);
      break;
    }
    case "cancel":
      if (count === 0) toast(t`None of these transfers can be cancelled any more`);
      else
        toast(plural(count, { one: "# transfer cancelled", other: "# transfers cancelled" }), notCancelledText(left));
      break;
    case "retry":
      if (count === 0) toast(t`None of these transfers can be retried`);
      else toast(plural(count, { one: "# transfer retried", other: "# transfers retried" }), notRetriedText(left));
      break;
  }
}

function notCancelledText(count: number): string | undefined {
  if (count === 0) return undefined;
  return plural(count, {
    one: "# transfer could not be cancelled any more.",
    other: "# transfers could not be cancelled any more.",
  });
}

function notRetriedText(count: number): string | undefined {
  if (count === 0) return undefined;
  return plural(count, { one: "# transfer could not be retried.", other: "# transfers could not be retried." });
}

function underWayText(count: number): string | undefined {
  if (count === 0) return undefined;
  return plural(count, {
    one: "# document is being sent. Wait for it, or cancel the transfer.",
    other: "# documents are being sent. Wait for them, or cancel the transfers.",
  });
}

function lockedText(count: number): string | undefined {
  if (count === 0) return undefined;
  return plural(count, {
    one: "# document arrived before your account was reset. You can delete it forever once another admin agrees.",
    other: "# documents arrived before your account was reset. You can delete them forever once another admin agrees.",
  });
}

function failedText(what: AnyChange): string {
  switch (what) {
    case "delete":
    case "delete forever":
      return t`Could not delete the documents.`;
    case "restore":
      return t`Could not restore the documents.`;
    case "cancel":
      return t`Could not cancel the transfers.`;
    case "retry":
      return t`Could not retry the transfers.`;
    case "read":
      return t`Could not mark the documents as read.`;
    case "unread":
      return t`Could not mark the documents as unread.`;
    default:
      return t`Could not change the documents.`;
  }
}
