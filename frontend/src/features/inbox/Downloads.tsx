import { t } from "@lingui/core/macro";
import { Download } from "lucide-react";
import { MARKER } from "@/api/catalogue";
import { entryContentUrl, type InboxEdition } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { DownloadLink } from "@/components/DownloadLink";
import { Bytes } from "@/components/ui/Bytes";
import { Section } from "@/components/ui/Section";
import { isWhole, unclearedText } from "./entry";

const EDITIONS: Record<InboxEdition, { label: string; says: string }> = {
  full: { label: t`Whole document`, says: t`The exact file the author sent.` },
  redacted: { label: t`Redacted`, says: t`Classified text is replaced by ${MARKER}, for people who are not cleared.` },
  highlighted: { label: t`Highlighted`, says: t`The file with its classified content highlighted.` },
  marked: { label: t`Marked text`, says: t`With <$S> and <$E> around classified text, for importing elsewhere.` },
};

/** The editions that the reader may download. */
export function Downloads({ entry }: { entry: EntryShown }) {
  return (
    <Section title={t`Downloads`}>
      {!isWhole(entry) && <p className="text-quiet text-sm">{unclearedText(entry)}</p>}
      {hasNoMarked(entry) && (
        <p className="text-quiet text-sm">{t`Files of this format have no download that shows what is classified.`}</p>
      )}
      {entry.editions.length > 0 && (
        <ul className="flex flex-col gap-3 text-sm">
          {entry.editions.map((edition) => (
            <li key={edition}>
              <DownloadLink
                href={entryContentUrl(entry.id, edition)}
                className="tap inline-flex min-h-6 items-center gap-2 font-medium"
              >
                <Download aria-hidden className="size-4 shrink-0 text-quiet" />
                {EDITIONS[edition].label}
              </DownloadLink>
              {edition === "redacted" && entry.redacted_bytes !== null && (
                <span className="text-quiet">
                  {" · "}
                  <Bytes value={entry.redacted_bytes} />
                </span>
              )}
              {isWhole(entry) && <p className="mt-0.5 pl-6 text-quiet">{saysOf(edition, entry)}</p>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Whether no edition shows a cleared reader what of the document is classified. */
function hasNoMarked(entry: EntryShown): boolean {
  const { editions, classified_bytes } = entry;
  return isWhole(entry) && !!classified_bytes && !editions.includes("marked") && !editions.includes("highlighted");
}

function saysOf(edition: InboxEdition, { redacted_bytes, media_type }: EntryShown): string {
  if (edition === "highlighted" && media_type === "message/rfc822") {
    return t`The e-mail with its classified content highlighted; in plain text it is between <$S> and <$E>.`;
  }
  if (edition === "redacted" && redacted_bytes !== null) {
    return t`A separate file without the classified content, for people who are not cleared.`;
  }
  return EDITIONS[edition].says;
}
