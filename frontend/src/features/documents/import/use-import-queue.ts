import { useState } from "react";

interface Queue {
  files: readonly File[];
  /** The index of the current file. */
  at: number;
  open: boolean;
  /** Counts the dialogs: a key for each. */
  turn: number;
  /** The names of imported files. */
  imported: readonly string[];
}

/** Files that were chosen together and are imported one after another. */
export function useImportQueue() {
  const [queue, setQueue] = useState<Queue>({ files: [], at: 0, open: false, turn: 0, imported: [] });
  const { files, at, open, turn, imported } = queue;
  return {
    /** The current file, or the last one while its dialog closes. */
    file: files[at] ?? null,
    number: at + 1,
    count: files.length,
    open,
    turn,
    imported,
    /** Adds files to the end of the queue. */
    add: (more: readonly File[]) => {
      if (more.length === 0) return;
      setQueue((now) =>
        now.open
          ? { ...now, files: [...now.files, ...more] }
          : { files: more, at: 0, open: true, turn: now.turn + 1, imported: [] },
      );
    },
    /** Replaces the current file. */
    replace: (file: File) => setQueue((now) => ({ ...now, files: now.files.with(now.at, file), turn: now.turn + 1 })),
    /** Goes to the next file, or ends. `name`: the name of the current one if it was imported. */
    next: (name?: string) =>
      setQueue((now) => ({
        ...now,
        imported: name === undefined ? now.imported : [...now.imported, name],
        ...(now.at + 1 < now.files.length ? { at: now.at + 1, turn: now.turn + 1 } : { open: false }),
      })),
    close: () => setQueue((now) => ({ ...now, open: false })),
  };
}
