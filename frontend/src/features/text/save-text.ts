/** A text as it is in the page, saved as a file: the gateway is not needed for that. */
import { saveBlob } from "@/lib/save-blob";

/** A marked text as a file, beside what the document of this name is called. */
export function saveMarked(marked: string, name: string): void {
  saveText(marked, markedName(name));
}

/** `report.txt` as `report.marked.txt`, so that it lies beside the text alone. */
export function markedName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.marked${name.slice(dot)}` : `${name}.marked`;
}

export function saveText(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "text/plain;charset=utf-8" }), name);
}
