import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { FileDown } from "lucide-react";
import { useRef } from "react";
import { api } from "@/api/client";
import { draftEdition, outlineQuery } from "@/api/file-source";
import type { FileDraft, Format } from "@/api/files";
import { isPicture } from "@/api/formats";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { saveBlob } from "@/lib/save-blob";
import { EditionFault } from "./EditionFault";
import { readsAsText } from "./eavesdropped";
import { FirstLines } from "./FirstLines";
import { firstLinesOf } from "./first-lines";
import { RedactedPreview } from "./redacted/RedactedPreview";
import { useLatestSave } from "./use-latest-save";
import { useMarks } from "./viewed-file";

interface RedactedDialogProps {
  draft: FileDraft;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

const PICTURE = t`The same picture, black where an area is marked, and around it as far as compressed pixels reveal it. A picture that is marked as a whole becomes a black one of a fixed size. Place, date, camera, texts and all other data in the file are left out.`;

const LEFT_OUT: Readonly<Record<Format, string | null>> = {
  docx: t`A new Word document with paragraphs, tables, notes and pictures. A bar replaces each marked passage. Comments, deleted and hidden text, links, bookmarks and properties are left out, marked or not.`,
  xlsx: t`A new workbook with values and styles. Marked content and the results of formulas are withheld. Formulas, hidden sheets, rows and columns, comments, names and charts are left out, marked or not.`,
  pptx: t`A new presentation with slides, notes and pictures. A bar replaces each marked passage, and each chart and diagram. Hidden slides, comments, animations, links, films and properties are left out, marked or not.`,
  ods: t`A new workbook with values and styles. Marked content and the results of formulas are withheld. Formulas, hidden sheets, rows and columns, comments, names and charts are left out, marked or not.`,
  odt: t`A new document with paragraphs, tables, notes and pictures. A bar replaces each marked passage. Comments, deleted and hidden text, links, bookmarks and properties are left out, marked or not.`,
  pdf: t`A new PDF. Bars replace marked words, images and areas. A bar between two words is as wide as what it replaces: to hide the width, mark the rest of the line, too. Pages from which marked text cannot be removed safely are withheld. Links, notes, forms, attachments and properties are left out, marked or not.`,
  html: t`A new web page with its text and plain formatting. A bar replaces each marked passage. Links, scripts, comments, hidden text, style sheets and most pictures are left out, marked or not.`,
  rtf: t`A new RTF document with paragraphs, tables, notes, plain formatting and PNG and JPEG pictures. A bar replaces each marked passage. Comments, deleted and hidden text, links, styles, other pictures and properties are left out, marked or not.`,
  eml: t`A new e-mail with sender, recipients, subject, date, texts, and redacted editions of the attachments. A bar replaces each marked passage. Other header fields, links, hidden text, and attachments that cannot be redacted are left out, marked or not. If only one version of a text has marks, the other is left out.`,
  zip: t`A new archive of the redacted editions of its files. A bar replaces each marked passage, also in names. Files that are marked as a whole or have no redacted edition are left out, and a text in the archive lists them.`,
  png: PICTURE,
  jpeg: PICTURE,
  tiff: PICTURE,
  csv: t`The same table with a bar in each withheld cell.`,
  tsv: t`The same table with a bar in each withheld cell.`,
  jsonl: t`The same rows with one bar for all withheld members of a row.`,
  text: null,
  bytes: null,
};

/** The redacted edition of the latest save, to check before sending and to download. */
export function RedactedDialog({ draft, open, onOpenChange }: RedactedDialogProps) {
  const saved = useLatestSave(open);
  const { marks } = useMarks();
  const button = useRef<HTMLButtonElement>(null);
  const made = useQuery({
    queryKey: ["content", "redacted", draft.id, draft.revision],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/v1/drafts/{draft_id}/content", {
        params: { path: { draft_id: draft.id }, query: { edition: "redacted" } },
        parseAs: "blob",
        signal,
      });
      const blob = data as unknown as Blob;
      return { blob, head: readsAsText(draft.format) ? await firstLinesOf(blob.stream()) : null };
    },
    enabled: open && saved,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const fresh = saved ? made.data : undefined;
  // The preview reads the redacted edition itself: what parsers find in it, not what was meant to be in it.
  const edition = draftEdition(draft.id, draft.revision);
  const again = useQuery({ ...outlineQuery(edition), retry: false, enabled: open && fresh?.head === null });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Redacted edition`}
      description={t`A new file without the classified content. It is sent with the file, for recipients who are not cleared.`}
      width="lg"
      initialFocus={button}
      footer={
        <>
          <Button ref={button} onClick={() => onOpenChange(false)}>{t`Close`}</Button>
          <Button
            tone="primary"
            icon={<FileDown aria-hidden />}
            disabled={!fresh}
            onClick={() => fresh && saveBlob(fresh.blob, redactedName(draft.name))}
          >{t`Download`}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 text-sm">
        <p>
          {marks.length > 0
            ? LEFT_OUT[draft.format]
            : isPicture(draft.format)
              ? t`Nothing is marked yet. The redacted edition has the same picture without data about it.`
              : t`Nothing is marked yet, so the redacted edition is the same as the file.`}
        </p>
        {!saved && !made.error && <p className="text-quiet">{t`Waiting for your changes to be saved.`}</p>}
        {saved && made.isPending && <Skeleton label={t`Making and checking the redacted edition`} lines={3} />}
        {saved && made.error && <EditionFault problem={made.error} onRetry={() => made.refetch()} />}
        {fresh && (
          <p>
            <span className="wrap-anywhere font-medium">{redactedName(draft.name)}</span>
            <span className="text-quiet">
              {" · "}
              <Bytes value={fresh.blob.size} />
            </span>
          </p>
        )}
        {fresh?.head && <FirstLines label={t`First lines`} head={fresh.head} />}
        {fresh && !fresh.head && again.isPending && <Skeleton label={t`Reading the redacted edition`} lines={3} />}
        {fresh && again.error && (
          <ErrorPanel
            title={t`The redacted edition could not be read.`}
            problem={again.error}
            onRetry={() => again.refetch()}
          />
        )}
        {fresh && again.data && <RedactedPreview edition={edition} outline={again.data} />}
      </div>
    </Dialog>
  );
}

/** `pay.csv` as `pay.redacted.csv`, as the gateway calls it. */
export function redactedName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.redacted${name.slice(dot)}` : `${name}.redacted`;
}
