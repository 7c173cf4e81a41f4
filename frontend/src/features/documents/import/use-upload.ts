import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { gatewayQuery } from "@/api/gateway";
import { asProblem, type Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import type { ExaminedFile } from "./examine-file";
import type { ImportMode } from "./import-mode";
import { UploadError, uploadFile } from "./upload-file";

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

  const send = async (name: string, reading: ImportMode, examined: ExaminedFile) => {
    const cancelled = new AbortController();
    current.current = cancelled;
    const { signal } = cancelled;
    let sent = 0;
    let total = file.size;
    setSending({ is: "under way", sent, total });
    try {
      const { max_document_bytes: maxBytes } = await client.ensureQueryData(gatewayQuery);
      const onProgress = (...bytes: [number, number]) => {
        [sent, total] = bytes;
        setSending({ is: "under way", sent, total });
      };
      imported.current(await uploadFile({ file, examined, name, reading, maxBytes, signal, onProgress }));
    } catch (error) {
      if (signal.aborted) return;
      const lost = error instanceof UploadError && error.lost;
      const problem = error instanceof UploadError ? error.problem : asProblem(error);
      setSending({ is: "failed", problem, sent, total, lost });
    }
  };
  const forget = () => {
    current.current?.abort();
    setSending({ is: "no" });
  };
  return { sending, send, forget };
}
