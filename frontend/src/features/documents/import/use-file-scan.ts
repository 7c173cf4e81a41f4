import { useEffect, useState } from "react";
import type { Format } from "@/api/files";
import { HEAD_BYTES, kindOf } from "./file-kind";
import { type FileHead, readHead } from "./preview";
import { type ScanResult, scan } from "./scan";

/** What is known of a file so far. `reading`: `read` bytes of it have been checked. */
export type FileScan =
  | { is: "reading"; head: FileHead | null; read: number }
  | { is: "known"; head: FileHead | null; scanned: ScanResult; kind: Format }
  | { is: "unreadable" };

/** Scans a file, once, as long as the component is there; not at all for null. Give each file a key of its own. */
export function useFileScan(file: File | null): FileScan {
  const [examined, setExamined] = useState<FileScan>({ is: "reading", head: null, read: 0 });
  useEffect(() => {
    if (!file) return;
    const gone = new AbortController();
    const look = async () => {
      const head = await readHead(file);
      let shown = 0;
      const scanned = await scan(file, gone.signal, (read) => {
        // A step in a hundred is enough to see.
        if (read - shown < file.size / 100) return;
        shown = read;
        setExamined({ is: "reading", head, read });
      });
      const begins = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
      setExamined({ is: "known", head, scanned, kind: kindOf(file.name, begins, scanned.notUtf8 === null) });
    };
    look().catch(() => {
      if (!gone.signal.aborted) setExamined({ is: "unreadable" });
    });
    return () => gone.abort();
  }, [file]);
  return examined;
}

/** Whether the browser can still read the file: not once it was changed, moved or removed. */
export async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
