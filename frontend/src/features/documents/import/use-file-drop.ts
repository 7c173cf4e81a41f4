import { useEffect, useEffectEvent, useState } from "react";

/** Accepts files dropped anywhere on the page. True while files are dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
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
      take([...(event.dataTransfer?.files ?? [])]);
    });
    return () => ended.abort();
  }, []);
  return over;
}
