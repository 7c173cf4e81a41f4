/** What recipients without clearance will get of documents; said before they are sent. */
import type { RecipientShown } from "@/api/types";
import { isText } from "@/lib/media-types";
import { listText, quotedNames } from "@/lib/prose";

interface Document {
  name: string;
  media_type: string;
  classified_bytes: number;
  /** Of the redacted edition that goes along with a file, if one does. */
  redacted_bytes?: number | null;
  /** It is not known whether one does: it is asked, or could not be told. */
  edition?: "asked" | "unknown";
}

const hasEdition = ({ redacted_bytes }: Document) => redacted_bytes !== null && redacted_bytes !== undefined;

/** Sentences about those of `chosen` who are not cleared; none if there is nothing to say. */
export function unclearedNotes(chosen: readonly RecipientShown[], documents: readonly Document[]): string[] {
  const uncleared = chosen.filter(({ cleared }) => !cleared);
  if (uncleared.length === 0) return [];
  const who = `${listText(uncleared.map(({ display_name }) => display_name))} ${uncleared.length > 1 ? "are" : "is"} not cleared`;
  const nobodyIs = uncleared.length === chosen.length;
  const asked = documents.filter(({ edition }) => edition === "asked");
  const unknown = documents.filter(({ edition }) => edition === "unknown");
  const others = documents.filter((document) => !hasEdition(document) && document.edition === undefined);
  const made = documents.filter(hasEdition);
  const closed = others.filter(({ media_type }) => !isText(media_type));
  const cut = others.some(({ media_type, classified_bytes }) => isText(media_type) && classified_bytes > 0);
  const notes: string[] = [];
  if (made.length > 0) {
    const of = documents.length > 1 ? ` of ${quotedNames(made)}` : "";
    notes.push(`${who}: they get the redacted edition${of}, without what is classified.`);
  }
  const goesAlong = (of: readonly Document[]) =>
    `${who}: whether a redacted edition${documents.length > 1 ? ` of ${quotedNames(of)}` : ""} goes along`;
  if (asked.length > 0) notes.push(`${goesAlong(asked)} is not known yet: it is being made.`);
  if (unknown.length > 0) {
    const without =
      unknown.length > 1
        ? "they see that they came, and their names, but cannot open them"
        : "they see that it came, and its name, but cannot open it";
    notes.push(`${goesAlong(unknown)} is not known. Without one ${without}.`);
  }
  if (closed.length > 0) {
    const [it, its] = closed.length > 1 ? ["they", "their names"] : ["it", "its name"];
    const them = closed.length > 1 ? "them" : "it";
    // Which ones, where others can be opened.
    const of = documents.length > 1 ? ` of ${quotedNames(closed)}` : "";
    notes.push(
      `${who}: no redacted edition goes along, so${of} they see that ${it} came, and ${its}, but cannot open ${them}.`,
    );
    if (nobodyIs)
      notes.push(`Nobody whom you chose can open ${closed.length > 1 ? "these documents" : "this document"}.`);
  }
  if (cut) {
    notes.push(
      `${notes.length > 0 ? "In texts they" : `${who}: they`} will see markers where text is classified, and nothing of what stands there.`,
    );
    if (nobodyIs) notes.push("Nobody whom you chose can read what is classified.");
  }
  return notes;
}
