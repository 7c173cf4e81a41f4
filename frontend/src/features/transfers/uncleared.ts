/** What recipients without clearance will get of a document; said before it is sent. */
import type { RecipientShown } from "@/api/types";
import { isText } from "@/lib/media-types";
import { listed } from "./words";

interface Document {
  media_type: string;
  classified_bytes: number;
}

/** Sentences about those of `chosen` who are not cleared; none if there is nothing to say. */
export function unclearedNotes(chosen: readonly RecipientShown[], document: Document): string[] {
  const uncleared = chosen.filter(({ cleared }) => !cleared);
  if (uncleared.length === 0) return [];
  const who = `${listed(uncleared.map(({ display_name }) => display_name))} ${uncleared.length > 1 ? "are" : "is"} not cleared`;
  const all = uncleared.length === chosen.length;
  if (!isText(document.media_type)) {
    const notes = [
      `${who}: only text can be shown in part, so they see that it came, and its name, but cannot open it.`,
    ];
    return all ? [...notes, "Nobody whom you chose can open this document."] : notes;
  }
  if (document.classified_bytes === 0) return [];
  const notes = [`${who}: they will see markers where text is classified, and nothing of what stands there.`];
  return all ? [...notes, "Nobody whom you chose can read what is classified."] : notes;
}
