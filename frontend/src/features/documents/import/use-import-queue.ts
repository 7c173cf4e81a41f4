import { useState } from "react";

interface Queue {
  files: readonly File[];
  /** Which of them is asked about. */
  at: number;
  open: boolean;
  /** Counts the dialogs, so that each has a state of its own. */
  turn: number;
  /** Names of those that were imported. */
  imported: readonly string[];
}

/** Files that were chosen at once, asked about one after another. */
export function useImportQueue() {
  const [queue, setQueue] = useState<Queue>({ files: [], at: 0, open: false, turn: 0, imported: [] });
  const { files, at, open, turn, imported } = queue;
  return {
    /** The one asked about now, or last while its dialog closes. */
    file: files[at] ?? null,
    number: at + 1,
    count: files.length,
    open,
    turn,
    imported,
    /** While some are being asked about, more of them queue behind. */
    add: (more: readonly File[]) => {
      if (more.length === 0) return;
      setQueue((now) =>
        now.open
          ? { ...now, files: [...now.files, ...more] }
          : { files: more, at: 0, open: true, turn: now.turn + 1, imported: [] },
      );
    },
    /** Puts another file in the place of the current one. */
    replace: (file: File) => setQueue((now) => ({ ...now, files: now.files.with(now.at, file), turn: now.turn + 1 })),
    /** On to the next file, or to the end. `name`: what the current one was imported as, unless it was left out. */
    next: (name?: string) =>
      setQueue((now) => ({
        ...now,
        imported: name === undefined ? now.imported : [...now.imported, name],
        ...(now.at + 1 < now.files.length ? { at: now.at + 1, turn: now.turn + 1 } : { open: false }),
      })),
    close: () => setQueue((now) => ({ ...now, open: false })),
  };
}
