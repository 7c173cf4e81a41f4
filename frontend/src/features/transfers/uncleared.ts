/** What recipients without clearance will get of documents; said before they are sent. */
import type { RecipientShown } from "@/api/types";
import { isText } from "@/lib/media-types";
import { listed, namesOf } from "./words";

interface Document {
  name: string;
  media_type: string;
  classified_bytes: number;
  /** Of the redacted edition that goes along with a file, if one does. */
  redacted_bytes?: number | null;
}

const hasEdition = ({ redacted_bytes }: Document) => redacted_bytes !== null && redacted_bytes !== undefined;

/** Sentences about those of `chosen` who are not cleared; none if there is nothing to say. */
export function unclearedNotes(chosen: readonly RecipientShown[], documents: readonly Document[]): string[] {
  const uncleared = chosen.filter(({ cleared }) => !cleared);
  if (uncleared.length === 0) return [];
  const who = `${listed(uncleared.map(({ display_name }) => display_name))} ${uncleared.length > 1 ? "are" : "is"} not cleared`;
  const nobodyIs = uncleared.length === chosen.length;
  const others = documents.filter((document) => !hasEdition(document));
  const made = documents.filter(hasEdition);
  const closed = others.filter(({ media_type }) => !isText(media_type));
  const cut = others.some(({ media_type, classified_bytes }) => isText(media_type) && classified_bytes > 0);
  const notes: string[] = [];
  if (made.length > 0) {
    const of = documents.length > 1 ? ` of ${namesOf(made)}` : "";
    notes.push(`${who}: they get the redacted edition${of}, without what is classified.`);
  }
  if (closed.length > 0) {
    const [it, its] = closed.length > 1 ? ["they", "their names"] : ["it", "its name"];
    const them = closed.length > 1 ? "them" : "it";
    // Which ones, where others can be opened.
    const of = documents.length > 1 ? ` of ${namesOf(closed)}` : "";
    notes.push(
      `${who}: no redacted edition goes along, so${of} they see that ${it} came, and ${its}, but cannot open ${them}.`,
    );
    if (nobodyIs)
      notes.push(`Nobody whom you chose can open ${closed.length > 1 ? "these documents" : "this document"}.`);
  }
  if (cut) {
    notes.push(
      `${closed.length > 0 ? "In texts they" : `${who}: they`} will see markers where text is classified, and nothing of what stands there.`,
    );
    if (nobodyIs) notes.push("Nobody whom you chose can read what is classified.");
  }
  return notes;
}
