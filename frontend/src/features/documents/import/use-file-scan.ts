import { useEffect, useState } from "react";
import { type ExaminedFile, examineFile } from "./examine-file";

/** The progress and result of examining a file. `reading`: `read` bytes are read. */
export type FileScan = { is: "reading"; read: number } | ({ is: "known" } & ExaminedFile) | { is: "unreadable" };

/** Examines a file once. Give the component a new key for each file. */
export function useFileScan(file: File | null): FileScan {
  const [examined, setExamined] = useState<FileScan>({ is: "reading", read: 0 });
  useEffect(() => {
    if (!file) return;
    const gone = new AbortController();
    let shown = 0;
    examineFile(file, gone.signal, (read) => {
      // Updates at most a hundred times.
      if (read - shown < file.size / 100) return;
      shown = read;
      setExamined({ is: "reading", read });
    }).then(
      (found) => {
        if (!gone.signal.aborted) setExamined({ is: "known", ...found });
      },
      () => {
        if (!gone.signal.aborted) setExamined({ is: "unreadable" });
      },
    );
    return () => gone.abort();
  }, [file]);
  return examined;
}
