/** The text as it stands in the page, as a file: the gateway is not needed for that. */

import { saveBlob } from "@/lib/save-blob";
import { wholeText } from "./engine/place";
import { serialise } from "./engine/serialise";
import type { Workbench } from "./workbench";

/** `marked`: with its marks written as tags; `literal`: the text alone. Both have what is classified. */
export function downloadText({ editor }: Workbench, name: string, form: "marked" | "literal"): void {
  const { doc } = editor.state;
  if (form === "marked") saveMarked(serialise(doc), name);
  else save(wholeText(doc), name);
}

/** A marked text as a file, beside what the document of this name is called. */
export function saveMarked(marked: string, name: string): void {
  save(marked, markedName(name));
}

/** `report.txt` as `report.marked.txt`, so that it lies beside the text alone. */
export function markedName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.marked${name.slice(dot)}` : `${name}.marked`;
}

function save(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "text/plain;charset=utf-8" }), name);
}
