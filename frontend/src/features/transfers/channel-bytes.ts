/** What of a document travels on which channel. */
import type { Mode } from "@/api/transfers";

/** Bytes of each channel. */
export interface ChannelBytes {
  secure: number;
  plain: number;
}

/** By the mode: both channels share the document, or the secure one takes it all. */
export function channelBytesOf(
  document: { classified_bytes: number; plain_bytes: number },
  mode: Mode | (string & {}),
): ChannelBytes {
  const { classified_bytes, plain_bytes } = document;
  return mode === "secure-only"
    ? { secure: classified_bytes + plain_bytes, plain: 0 }
    : { secure: classified_bytes, plain: plain_bytes };
}

/** The mode that a transfer goes in: what was asked for, or what the planner made of that. */
export function actualMode({ mode, plan }: { mode: string; plan: { mode: string } }): string {
  return mode === "auto" ? plan.mode : mode;
}

/** Whether the whole of a document that holds something goes where everybody on the way can read it. */
export function allPlain(travel: ChannelBytes): boolean {
  return travel.secure === 0 && travel.plain > 0;
}
