import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { importDraft } from "@/api/drafts";
import { gatewayQuery } from "@/api/gateway";
import { asProblem, Problem, UNREACHABLE } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { mediaTypeOf } from "@/lib/media-types";
import { bodyOf, documentBytes, type ImportMode, isUtf8, sizeProblem } from "./import-mode";
import type { ScanResult } from "./scan";
import { isReadable } from "./use-file-scan";

/** `sent`: bytes of the request body so far. `lost`: the browser can no longer read the file. */
export type UploadState =
  | { is: "no" }
  | { is: "under way"; sent: number; total: number }
  | { is: "failed"; problem: Problem; sent: number; total: number; lost: boolean };

/** Uploads a file as a new draft. If that is cancelled or fails, the gateway keeps nothing. */
export function useUpload(file: File, onImported: (draft: DraftShown) => void) {
  const client = useQueryClient();
  const [sending, setSending] = useState<UploadState>({ is: "no" });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  // The latest callback, because the page may have changed during the upload.
  const imported = useRef(onImported);
  useEffect(() => {
    imported.current = onImported;
  }, [onImported]);

  const send = async (name: string, reading: ImportMode, scanned: ScanResult) => {
    const cancelled = new AbortController();
    current.current = cancelled;
    const { signal } = cancelled;
    let sent = 0;
    let total = file.size;
    setSending({ is: "under way", sent, total });
    try {
      const { max_document_bytes } = await client.ensureQueryData(gatewayQuery);
      const refused = sizeProblem(documentBytes(file.size, reading, scanned), max_document_bytes);
      if (refused) throw new Problem(413, refused);
      signal.throwIfAborted();
      const draft = await importDraft({
        name,
        mediaType: mediaTypeOf(file, isUtf8(scanned)),
        ...bodyOf(file, reading),
        signal,
        onProgress: (...bytes) => {
          [sent, total] = bytes;
          setSending({ is: "under way", sent, total });
        },
      });
      imported.current(draft);
    } catch (error) {
      if (signal.aborted) return;
      const problem = asProblem(error);
      // Browsers report an unreadable file only as a broken connection.
      const lost = problem.status === UNREACHABLE && !(await isReadable(file));
      if (!signal.aborted) setSending({ is: "failed", problem: lost ? fileLost() : problem, sent, total, lost });
    }
  };
  const forget = () => {
    current.current?.abort();
    setSending({ is: "no" });
  };
  return { sending, send, forget };
}

function fileLost(): Problem {
  return new Problem(UNREACHABLE, "The file was changed, moved or removed after you chose it. Choose it again.");
}
