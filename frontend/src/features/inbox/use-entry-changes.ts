import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeEntries, type EntriesChange, entriesArchive, MOST_IN_ARCHIVE } from "@/api/inbox";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { toast, toastError } from "@/components/ui/toasts";
import { countText } from "@/lib/prose";
import { saveBlob } from "@/lib/save-blob";

/** Titles of what happened to `count` entries. */
const DONE: Record<EntriesChange, (count: number) => string> = {
  read: (count) => `${countText(count, "document", "documents")} marked as read`,
  unread: (count) => `${countText(count, "document", "documents")} marked as unread`,
  delete: (count) => (count === 1 ? "Deleted" : `${countText(count, "document", "documents")} deleted`),
  restore: (count) => `${countText(count, "document", "documents")} restored`,
  "delete forever": (count) => `${countText(count, "document", "documents")} deleted forever`,
};
const FAILED: Record<EntriesChange, string> = {
  read: "Could not mark the documents as read.",
  unread: "Could not mark the documents as unread.",
  delete: "Could not delete the documents.",
  restore: "Could not restore the documents.",
  "delete forever": "Could not delete the documents.",
};

/** Changes and downloads of entries, with their toasts. A deletion can be undone from its toast. */
export function useEntryChanges() {
  const client = useQueryClient();
  const [pending, setPending] = useState(0);

  const during = async <Result>(work: Promise<Result>) => {
    setPending((count) => count + 1);
    try {
      return await work;
    } finally {
      setPending((count) => count - 1);
      void client.invalidateQueries({ queryKey: ["inbox"] });
    }
  };
  /** `name`: of the one document that is changed. Resolves with whether it worked. */
  const change = async (ids: readonly string[], what: EntriesChange, name?: string): Promise<boolean> => {
    try {
      const changed = await during(changeEntries(ids, what));
      if (what === "delete") {
        // The toast, which had the focus, is gone after Undo.
        const onAction = () => void change(ids, "restore", name).then(focusHeading);
        toast(DONE.delete(changed), name, { label: "Undo", onAction });
      } else if (what === "read" || what === "unread") announce(DONE[what](changed));
      else toast(DONE[what](changed), name);
      return true;
    } catch (error) {
      toastError(FAILED[what], error);
      return false;
    }
  };
  const download = async (ids: readonly string[], edition: "full" | "redacted"): Promise<void> => {
    if (ids.length > MOST_IN_ARCHIVE) {
      const most = MOST_IN_ARCHIVE.toLocaleString("en");
      toastError("Too many documents for one download.", new Error(`Select ${most} documents or fewer.`));
      return;
    }
    try {
      saveBlob(await during(entriesArchive(ids, edition)), "inbox.zip");
      toast(`${countText(ids.length, "document", "documents")} downloaded as inbox.zip`);
    } catch (error) {
      toastError("Could not download the documents.", error);
    }
  };
  return { change, download, busy: pending > 0 };
}
