/**
 * The files of a drop, with those in folders. Call it while the drop is handled: afterwards a browser tells nothing of it.
 */
export function droppedFiles(data: DataTransfer): Promise<File[]> {
  const all = [...data.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const listed = all.length > 0 ? all : [...data.files].map((file) => ({ entry: null, file }));
  return Promise.all(listed.map(({ entry, file }) => filesOf(entry, file))).then((files) => files.flat());
}

async function filesOf(entry: FileSystemEntry | null, file: File | null): Promise<File[]> {
  // A folder that cannot be listed is shown as a file that cannot be read.
  const inside = entry?.isDirectory ? await listed(entry as FileSystemDirectoryEntry).catch(() => null) : null;
  return inside ?? (file ? [file] : []);
}

async function listed(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  for (;;) {
    // A browser lists some 100 entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const entry of entries) {
      if (entry.isDirectory) files.push(...(await listed(entry as FileSystemDirectoryEntry)));
      else
        files.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    }
  }
}
