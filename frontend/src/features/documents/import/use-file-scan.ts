import { useEffect, useState } from "react";
import type { Format } from "@/api/files";
import { HEAD_BYTES, kindOf } from "./file-kind";
import { type FileHead, readHead } from "./preview";
import { type ScanResult, scan } from "./scan";

/** The progress and result of a scan. `reading`: `read` bytes are scanned. */
export type FileScan =
  | { is: "reading"; head: FileHead | null; read: number }
  | { is: "known"; head: FileHead | null; scanned: ScanResult; kind: Format }
  | { is: "unreadable" };

/** Scans a file once. Give the component a new key for each file. */
export function useFileScan(file: File | null): FileScan {
  const [examined, setExamined] = useState<FileScan>({ is: "reading", head: null, read: 0 });
  useEffect(() => {
    if (!file) return;
    const gone = new AbortController();
    const examine = async () => {
      const head = await readHead(file);
      let shown = 0;
      const scanned = await scan(file, gone.signal, (read) => {
        // Updates at most a hundred times.
        if (read - shown < file.size / 100) return;
        shown = read;
        setExamined({ is: "reading", head, read });
      });
      const begins = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
      setExamined({ is: "known", head, scanned, kind: kindOf(file.name, begins, scanned.notUtf8 === null) });
    };
    examine().catch(() => {
      if (!gone.signal.aborted) setExamined({ is: "unreadable" });
    });
    return () => gone.abort();
  }, [file]);
  return examined;
}

/** Whether the browser can still read the file: false if it was changed, moved or removed. */
export async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
