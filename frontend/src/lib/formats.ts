/** How the interface shows files of each format. The formats themselves come from the gateway. */
import { FORMATS } from "@/api/catalogue";
import type { Format } from "@/api/files";

export type View = (typeof FORMATS)[Format]["view"];

export function viewOf(format: Format): View {
  return FORMATS[format].view;
}
