/** Browsers still read the blob for a while after the click. */
const READ_BY_MS = 60_000;

/** Has the browser save `blob` as a file of that name. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_BY_MS);
}
