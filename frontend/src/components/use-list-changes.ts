import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeDrafts, type DraftsChange, draftsArchive } from "@/api/drafts";
import { MOST_IN_ARCHIVE } from "@/api/inbox";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { toast, toastError } from "@/components/ui/toasts";
import { countText } from "@/lib/prose";
import { saveBlob } from "@/lib/save-blob";

const FAILED: Partial<Record<DraftsChange, string>> = {
  delete: "Could not delete the documents.",
  restore: "Could not restore the documents.",
};

/** Changes and downloads of several documents, with their toasts. A deletion can be undone from its toast. */
export function useDraftChanges() {
  const client = useQueryClient();
  const [pending, setPending] = useState(0);

  const during = async <Result>(work: Promise<Result>) => {
    setPending((count) => count + 1);
    try {
      return await work;
    } finally {
      setPending((count) => count - 1);
      void client.invalidateQueries({ queryKey: ["drafts"] });
    }
  };
  /** Resolves with the IDs of the changed documents; null if it failed. */
  const change = async (ids: readonly string[], what: DraftsChange, tag?: string): Promise<string[] | null> => {
    try {
      const changed = await during(changeDrafts(ids, what, tag));
      report(what, changed.ids, changed.under_way, tag);
      return changed.ids;
    } catch (error) {
      toastError(FAILED[what] ?? "Could not change the documents.", error);
      return null;
    }
  };
  const report = (what: DraftsChange, ids: readonly string[], underWay: number, tag: string | undefined) => {
    const documents = countText(ids.length, "document", "documents");
    const kept =
      underWay === 0
        ? undefined
        : `${countText(underWay, "document is", "documents are")} being sent. Wait for it, or cancel the transfer.`;
    switch (what) {
      case "delete":
        if (ids.length === 0) toast("Nothing deleted", kept);
        else {
          const onAction = () => void change(ids, "restore").then(focusHeading);
          toast(`${documents} deleted`, kept, { label: "Undo", onAction });
        }
        break;
      case "restore":
        toast(`${documents} restored`);
        break;
      case "tag":
        announce(`${documents} tagged ${tag}`);
        break;
      case "untag":
        announce(`Tag ${tag} removed from ${documents}`);
        break;
    }
  };
  const download = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > MOST_IN_ARCHIVE) {
      const most = MOST_IN_ARCHIVE.toLocaleString("en");
      toastError("Too many documents for one download.", new Error(`Select ${most} documents or fewer.`));
      return;
    }
    try {
      saveBlob(await during(draftsArchive(ids)), "documents.zip");
      toast(`${countText(ids.length, "document", "documents")} downloaded as documents.zip`);
    } catch (error) {
      toastError("Could not download the documents.", error);
    }
  };
  return { change, download, busy: pending > 0 };
}
