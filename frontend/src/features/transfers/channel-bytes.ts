/** The bytes of a document on each channel. */
import type { Mode } from "@/api/transfers";

/** Bytes of each channel. */
export interface ChannelBytes {
  secure: number;
  plain: number;
}

/** The bytes of each channel in a mode: both share the document, or the secure channel carries all of it. */
export function channelBytesOf(
  document: { classified_bytes: number; plain_bytes: number },
  mode: Mode | (string & {}),
): ChannelBytes {
  const { classified_bytes, plain_bytes } = document;
  return mode === "secure-only"
    ? { secure: classified_bytes + plain_bytes, plain: 0 }
    : { secure: classified_bytes, plain: plain_bytes };
}

/** The mode of a transfer: the one that the author chose, or the one that the planner chose for "auto". */
export function actualMode({ mode, plan }: { mode: string; plan: { mode: string } }): string {
  return mode === "auto" ? plan.mode : mode;
}

/** Whether all of a document that is not empty goes over the plain channel. */
export function allPlain(travel: ChannelBytes): boolean {
  return travel.secure === 0 && travel.plain > 0;
}
