/** Has the browser save `text`, byte for byte in UTF-8, as a file. */
export function saveText(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The click has begun the download; the browser holds on to what it needs.
  URL.revokeObjectURL(url);
}
