/** Rows as a CSV file for spreadsheets, which need the byte order mark to read it as UTF-8. */
export function csvFile(rows: readonly (readonly string[])[]): Blob {
  const lines = rows.map((cells) => cells.map((text) => `"${safe(text).replaceAll('"', '""')}"`).join(","));
  return new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" });
}

/** A spreadsheet would run such text as a formula. */
function safe(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
