import { Download } from "lucide-react";
import { entryContentUrl, type InboxEdition } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { Section } from "@/components/ui/Section";
import { isText } from "@/lib/media-types";
import { isWhole } from "./words";

const EDITIONS: Record<InboxEdition, { label: string; says: string }> = {
  full: { label: "Whole document", says: "The very bytes that the author sent." },
  redacted: { label: "Redacted", says: "With █████ for each classified part, for those who are not cleared." },
  marked: { label: "Marked text", says: "With <$S> and <$E> around what is classified, to import it elsewhere." },
};

/** The editions that the reader may have, each as a file. */
export function Downloads({ entry }: { entry: EntryShown }) {
  return (
    <Section title="Downloads">
      {!isWhole(entry) && <p className="text-quiet text-sm">{unclearedText(entry)}</p>}
      {entry.editions.length > 0 && (
        <ul className="flex flex-col gap-3 text-sm">
          {entry.editions.map((edition) => (
            <li key={edition}>
              <a
                href={entryContentUrl(entry.id, edition)}
                download
                className="inline-flex min-h-6 items-center gap-2 font-medium"
              >
                <Download aria-hidden className="size-4 shrink-0 text-quiet" />
                {EDITIONS[edition].label}
              </a>
              {isWhole(entry) && <p className="mt-0.5 pl-6 text-quiet">{EDITIONS[edition].says}</p>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function unclearedText({ editions, media_type }: EntryShown): string {
  if (editions.length > 0) {
    return "You are not cleared: bars stand where text is withheld. Each bar has the same width, whatever it hides.";
  }
  return isText(media_type)
    ? "You are not cleared, and there is no edition of this document for you."
    : "You are not cleared, and only text has an edition without what is classified. Ask the sender for a text.";
}
