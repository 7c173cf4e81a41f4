/** How the interface shows files of each format. The formats themselves come from the gateway. */
import { FORMATS } from "@/api/catalogue";
import type { Format } from "@/api/files";

export type View = (typeof FORMATS)[Format]["view"];

export function viewOf(format: Format): View {
  return FORMATS[format].view;
}

/** Whether files of the format are pictures, of which areas can be marked. */
export function isPicture(format: Format): boolean {
  return format === "png" || format === "jpeg" || format === "tiff";
}

/** The format that a file's name claims, or else its media type; null if they claim none. As the gateway reads it. */
export function formatClaimed(name: string, mediaType: string): Format | null {
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  const essence = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  const rows = Object.entries(FORMATS) as [Format, (typeof FORMATS)[Format]][];
  const byEnding = rows.find(([, { endings }]) => (endings as readonly string[]).includes(ending));
  return (byEnding ?? rows.find(([, { mediaType: type }]) => type === essence))?.[0] ?? null;
}
