import { t } from "@lingui/core/macro";
import { useEffectEvent, useLayoutEffect, useState } from "react";
import { toast } from "@/components/ui/toasts";
import { droppedFiles } from "./dropped-files";

/** Accepts files dropped or pasted anywhere on the page, and those in folders. True while files are dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  // Before the page is painted: a file can be dropped as soon as it is visible.
  useLayoutEffect(() => {
    const ended = new AbortController();
    const on = (type: "dragenter" | "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) =>
      window.addEventListener(
        type,
        (event) => {
          if (event.dataTransfer?.types.includes("Files")) handle(event);
        },
        { signal: ended.signal },
      );
    const hold = (event: DragEvent) => {
      // Otherwise the browser opens the file instead of the page.
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    on("dragenter", hold);
    on("dragover", hold);
    on("dragleave", (event) => {
      // Ignores moves between elements of the page.
      if (event.relatedTarget === null) setOver(false);
    });
    on("drop", (event) => {
      event.preventDefault();
      setOver(false);
      if (!event.dataTransfer) return;
      void droppedFiles(event.dataTransfer).then((files) => {
        if (files.length > 0) take(files);
        else toast(t`Nothing to import`, t`The folder has no files.`);
      });
    });
    window.addEventListener(
      "paste",
      ({ clipboardData }) => {
        // Programs add a picture of what they copy; its text is meant then.
        const texts = clipboardData?.types.some((type) => type.startsWith("text/"));
        if (clipboardData && !texts) take([...clipboardData.files]);
      },
      { signal: ended.signal },
    );
    return () => ended.abort();
  }, []);
  return over;
}
