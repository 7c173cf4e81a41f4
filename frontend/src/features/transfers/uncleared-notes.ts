/** What recipients without clearance will get, shown before sending. */
import type { RecipientShown } from "@/api/types";
import { isText } from "@/lib/media-types";
import { listText, quotedNames } from "@/lib/prose";

interface Document {
  name: string;
  media_type: string;
  classified_bytes: number;
  /** Size of the redacted edition that is sent with a file, if there is one. */
  redacted_bytes?: number | null;
  /** Whether there is one is being asked, or could not be determined. */
  edition?: "asked" | "unknown";
}

const hasEdition = ({ redacted_bytes }: Document) => redacted_bytes !== null && redacted_bytes !== undefined;

/** Sentences about the recipients in `chosen` who are not cleared; empty if all are. */
export function unclearedNotes(
  chosen: readonly Pick<RecipientShown, "display_name" | "cleared">[],
  documents: readonly Document[],
): string[] {
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
  const of = (some: readonly Document[]) => (documents.length > 1 ? ` of ${quotedNames(some)}` : "");
  const itsName = (some: readonly Document[]) =>
    some.length > 1 ? "the documents’ names but cannot open them" : "the document’s name but cannot open it";
  if (made.length > 0) notes.push(`${who} and will get only the redacted edition${of(made)}.`);
  if (asked.length > 0) notes.push(`${who}. Checking whether a redacted edition${of(asked)} can be included…`);
  if (unknown.length > 0) {
    notes.push(
      `${who}. Could not tell whether a redacted edition${of(unknown)} will be included. Without one, they see ${itsName(unknown)}.`,
    );
  }
  if (closed.length > 0) {
    notes.push(`${who}, and there is no redacted edition${of(closed)}. They see ${itsName(closed)}.`);
    if (nobodyIs) {
      notes.push(`None of the recipients can open ${closed.length > 1 ? "these documents" : "this document"}.`);
    }
  }
  if (cut) {
    notes.push(
      `${notes.length > 0 ? "In text documents they" : `${who} and`} will see markers in place of classified text.`,
    );
    if (nobodyIs) notes.push("None of the recipients can read classified text.");
  }
  return notes;
}
