/** Many files on their way to becoming documents: each is examined, then uploaded, and can be tried again. */
import { t } from "@lingui/core/macro";
import { asProblem, type Problem } from "@/api/problem";
import { nameError } from "@/lib/document-name";
import { type ExaminedFile, examineFile } from "./examine-file";
import { importErrorOf, sizeError } from "./import-error";
import { type ImportMode, isTooLargeInAnyMode, suggestedMode } from "./import-mode";
import { UploadError, uploadFile } from "./upload-file";
import type { UploadState } from "./use-upload";

/** More files than these are not listed. */
export const MOST_FILES = 500;
const UPLOADS_AT_ONCE = 2;

export interface ImportRow {
  readonly id: number;
  readonly file: File;
  /** The document's name: that of the file, numbered if another row has the same. */
  readonly name: string;
  /** `null` while the file is read; `unreadable` if the browser cannot read it. */
  readonly examined: ExaminedFile | "unreadable" | null;
  /** How to import it; null if the author must choose, or the file is not examined yet. */
  readonly reading: ImportMode | null;
  readonly sending: UploadState | { is: "waiting" } | { is: "done" };
}

export interface ImportListState {
  readonly rows: readonly ImportRow[];
  /** How many files were not listed, because there are too many. */
  readonly notListed: number;
  readonly underWay: boolean;
}

export class ImportList {
  readonly #maxBytes: () => Promise<number>;
  readonly #onSettled: (rows: readonly ImportRow[]) => void;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #uploads: AbortController | null = null;
  #limit = Number.POSITIVE_INFINITY;
  #nextId = 1;
  #examining = false;
  #state: ImportListState = { rows: [], notListed: 0, underWay: false };

  /** `maxBytes`: the gateway's limit of a document, in bytes. `onSettled` is called when no upload is under way any more. */
  constructor(maxBytes: () => Promise<number>, onSettled: (rows: readonly ImportRow[]) => void) {
    this.#maxBytes = maxBytes;
    this.#onSettled = onSettled;
  }

  readonly state = (): ImportListState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(files: readonly File[]): void {
    const { rows, notListed } = this.#state;
    const listed = files.slice(0, MOST_FILES - rows.length);
    const names = new Set(rows.map(({ name }) => name));
    const added = listed.map((file): ImportRow => {
      const name = distinctName(file.name, names);
      names.add(name);
      return { id: this.#nextId++, file, name, examined: null, reading: null, sending: { is: "no" } };
    });
    this.#set({ rows: [...rows, ...added], notListed: notListed + files.length - listed.length });
    void this.#examineAll();
  }

  remove(id: number): void {
    this.#set({ rows: this.#state.rows.filter((row) => row.id !== id) });
  }

  choose(id: number, reading: ImportMode): void {
    this.#change(id, { reading, sending: { is: "no" } });
  }

  /** Why this row cannot be imported as it is, or was not; null if it can. */
  problemOf(row: ImportRow): { readonly text: string; readonly blocking: boolean } | null {
    const { file, examined, reading, sending, name } = row;
    if (examined === "unreadable") {
      return { text: t`It cannot be read: it was changed, moved or removed, or it is a folder.`, blocking: true };
    }
    const wrongName = nameError(name);
    if (wrongName) return { text: wrongName, blocking: true };
    if (isTooLargeInAnyMode(file.size, this.#limit)) {
      const large = sizeError(file.size, this.#limit);
      if (large) return { text: large.problem.detail, blocking: true };
    }
    if (!examined) return null;
    const { scanned } = examined;
    if (!reading) {
      const { fault } = scanned;
      return (
        fault && {
          text: t`Line ${{ line: fault.line }}, column ${{ column: fault.column }}: ${{ reason: fault.reason }}.`,
          blocking: true,
        }
      );
    }
    const content = reading === "whole" ? file : examined.content;
    const upload = sending.is === "failed" || sending.is === "under way" ? sending : { is: "no" as const };
    const error = importErrorOf(content, reading, scanned, this.#limit, upload);
    return error && { text: `${error.title} ${error.problem.detail}`, blocking: error.blocking };
  }

  /** Whether the next `importAll` uploads it. */
  isReady(row: ImportRow): boolean {
    const waits = row.sending.is === "no" || row.sending.is === "failed";
    return waits && row.reading !== null && !this.problemOf(row)?.blocking;
  }

  /** Uploads all rows that are ready, a few at a time, and resolves when none is left. */
  async importAll(): Promise<void> {
    if (this.#uploads) return;
    const stopped = new AbortController();
    this.#uploads = stopped;
    const waiting = this.#state.rows.filter((row) => this.isReady(row)).map(({ id }) => id);
    for (const id of waiting) this.#change(id, { sending: { is: "waiting" } });
    this.#set({ underWay: true });
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined && !stopped.signal.aborted; id = waiting.shift()) {
        await this.#upload(id, stopped.signal);
      }
    };
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
    this.#uploads = null;
    this.#set({
      underWay: false,
      rows: this.#state.rows.map((row) => (isLeft(row) ? { ...row, sending: { is: "no" } } : row)),
    });
    this.#onSettled(this.#state.rows);
  }

  /** Cancels the uploads. What is imported stays. */
  stop(): void {
    this.#uploads?.abort();
  }

  close(): void {
    this.stop();
    this.#closed.abort();
  }

  async #examineAll(): Promise<void> {
    if (this.#examining) return;
    this.#examining = true;
    const { signal } = this.#closed;
    try {
      this.#limit = await this.#maxBytes().catch(() => Number.POSITIVE_INFINITY);
      for (let row = this.#unexamined(); row && !signal.aborted; row = this.#unexamined()) {
        const { id, file } = row;
        try {
          const examined = await examineFile(file, signal, () => {});
          this.#change(id, { examined, reading: suggestedMode(examined) });
        } catch {
          if (signal.aborted) return;
          this.#change(id, { examined: "unreadable" });
        }
      }
    } finally {
      this.#examining = false;
      this.#set({});
    }
  }

  #unexamined(): ImportRow | undefined {
    return this.#state.rows.find(({ examined, file }) => !examined && !isTooLargeInAnyMode(file.size, this.#limit));
  }

  async #upload(id: number, signal: AbortSignal): Promise<void> {
    const row = this.#state.rows.find((one) => one.id === id);
    if (!row || row.reading === null || row.examined === null || row.examined === "unreadable") return;
    const { file, name, reading, examined } = row;
    let sent = 0;
    let total = file.size;
    const onProgress = (...bytes: [number, number]) => {
      [sent, total] = bytes;
      this.#change(id, { sending: { is: "under way", sent, total } });
    };
    onProgress(0, total);
    try {
      const maxBytes = await this.#maxBytes();
      await uploadFile({ file, examined, name, reading, maxBytes, signal, onProgress });
      this.#change(id, { sending: { is: "done" } });
    } catch (error) {
      if (signal.aborted) return;
      const lost = error instanceof UploadError && error.lost;
      const problem: Problem = error instanceof UploadError ? error.problem : asProblem(error);
      this.#change(id, { sending: { is: "failed", problem, sent, total, lost } });
    }
  }

  #change(id: number, change: Partial<ImportRow>): void {
    this.#set({ rows: this.#state.rows.map((row) => (row.id === id ? { ...row, ...change } : row)) });
  }

  #set(change: Partial<ImportListState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** How many rows are not imported: their upload failed, their author must choose how, or it is not possible. */
export function leftOf(list: ImportList, rows: readonly ImportRow[]) {
  const left = { failed: 0, undecided: 0, impossible: 0 };
  for (const row of rows) {
    if (row.sending.is === "failed") left.failed++;
    else if (row.sending.is === "done" || list.isReady(row)) continue;
    else if (row.reading === null && row.examined !== null && row.examined !== "unreadable") left.undecided++;
    else left.impossible++;
  }
  return left;
}

/** A row whose upload was stopped. */
function isLeft({ sending }: ImportRow): boolean {
  return sending.is === "waiting" || sending.is === "under way";
}

/** The name, with a number before its ending if it is taken: "plan (2).txt". */
export function distinctName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 2; ; number++) {
    const numbered = `${stem} (${number})${ending}`;
    if (!taken.has(numbered)) return numbered;
  }
}
