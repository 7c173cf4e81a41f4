/** Saves the text in the page as a file, without the gateway. */
import { saveBlob } from "@/lib/save-blob";

/** Saves a marked text as a file. `name`: the document's. */
export function saveMarked(marked: string, name: string): void {
  saveText(marked, markedName(name));
}

/** `report.txt` as `report.marked.txt`, so that it does not replace the text without marks. */
export function markedName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.marked${name.slice(dot)}` : `${name}.marked`;
}

export function saveText(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "text/plain;charset=utf-8" }), name);
}
