/** What recipients without clearance will get, shown before sending. */
import { plural, t } from "@lingui/core/macro";
import { isText } from "@/api/media-types";
import type { RecipientShown } from "@/api/types";
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
  const many = uncleared.length;
  const names = listText(uncleared.map(({ display_name }) => display_name));
  const nobodyIs = uncleared.length === chosen.length;
  const asked = documents.filter(({ edition }) => edition === "asked");
  const unknown = documents.filter(({ edition }) => edition === "unknown");
  const others = documents.filter((document) => !hasEdition(document) && document.edition === undefined);
  const made = documents.filter(hasEdition);
  const closed = others.filter(({ media_type }) => !isText(media_type));
  const cut = others.some(({ media_type, classified_bytes }) => isText(media_type) && classified_bytes > 0);
  const notes: string[] = [];
  const several = documents.length > 1;
  if (made.length > 0) {
    const titles = quotedNames(made);
    notes.push(
      several
        ? plural(many, {
            one: `${names} is not cleared and will get only the redacted edition of ${titles}.`,
            other: `${names} are not cleared and will get only the redacted edition of ${titles}.`,
          })
        : plural(many, {
            one: `${names} is not cleared and will get only the redacted edition.`,
            other: `${names} are not cleared and will get only the redacted edition.`,
          }),
    );
  }
  const notCleared = plural(many, { one: `${names} is not cleared.`, other: `${names} are not cleared.` });
  if (asked.length > 0) {
    const asking = several
      ? t`Checking whether a redacted edition of ${quotedNames(asked)} can be included…`
      : t`Checking whether a redacted edition can be included…`;
    notes.push(`${notCleared} ${asking}`);
  }
  if (unknown.length > 0) {
    const untold = several
      ? t`Could not tell whether a redacted edition of ${quotedNames(unknown)} will be included.`
      : t`Could not tell whether a redacted edition will be included.`;
    const without = plural(unknown.length, {
      one: "Without one, they see the document’s name but cannot open it.",
      other: "Without one, they see the documents’ names but cannot open them.",
    });
    notes.push(`${notCleared} ${untold} ${without}`);
  }
  if (closed.length > 0) {
    const titles = quotedNames(closed);
    const none = several
      ? plural(many, {
          one: `${names} is not cleared, and there is no redacted edition of ${titles}.`,
          other: `${names} are not cleared, and there is no redacted edition of ${titles}.`,
        })
      : plural(many, {
          one: `${names} is not cleared, and there is no redacted edition.`,
          other: `${names} are not cleared, and there is no redacted edition.`,
        });
    const seen = plural(closed.length, {
      one: "They see the document’s name but cannot open it.",
      other: "They see the documents’ names but cannot open them.",
    });
    notes.push(`${none} ${seen}`);
    if (nobodyIs) {
      notes.push(
        plural(closed.length, {
          one: "None of the recipients can open this document.",
          other: "None of the recipients can open these documents.",
        }),
      );
    }
  }
  if (cut) {
    notes.push(
      notes.length > 0
        ? t`In text documents they will see markers in place of classified text.`
        : plural(many, {
            one: `${names} is not cleared and will see markers in place of classified text.`,
            other: `${names} are not cleared and will see markers in place of classified text.`,
          }),
    );
    if (nobodyIs) notes.push(t`None of the recipients can read classified text.`);
  }
  return notes;
}
