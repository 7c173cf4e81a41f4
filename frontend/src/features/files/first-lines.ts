/** The first lines of a stream, without loading the rest. */
import { api } from "@/api/client";

const MOST_BYTES = 16_384;
const MOST_LINES = 40;

export interface FirstLinesShown {
  readonly text: string;
  /** There is more. */
  readonly more: boolean;
}

/** The first lines of the plain stream. */
export async function plainFirstLines(id: string, signal: AbortSignal): Promise<FirstLinesShown> {
  const { data } = await api.GET("/api/v1/drafts/{draft_id}/plain", {
    params: { path: { draft_id: id } },
    parseAs: "stream",
    signal,
  });
  return firstLinesOf(data as unknown as ReadableStream<Uint8Array> | null);
}

/** The first lines of a text in UTF-8. */
export async function firstLinesOf(stream: ReadableStream<Uint8Array> | null): Promise<FirstLinesShown> {
  const decoder = new TextDecoder();
  let text = "";
  let more = false;
  const reader = stream?.getReader();
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) {
      text += decoder.decode();
      break;
    }
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes >= MOST_BYTES) {
      more = true;
      await reader.cancel();
      break;
    }
  }
  const lines = text.slice(0, MOST_BYTES).split("\n");
  if (lines.length <= MOST_LINES) return { text: lines.join("\n"), more };
  return { text: lines.slice(0, MOST_LINES).join("\n"), more: true };
}
