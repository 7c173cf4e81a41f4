import { useQuery } from "@tanstack/react-query";
import { FileDown } from "lucide-react";
import { useEffect, useRef } from "react";
import { api } from "@/api/client";
import type { FileDraft } from "@/api/files";
import { draftEdition, editionOutlineQuery } from "@/api/redacted-edition";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { saveBlob } from "@/lib/save-blob";
import { RedactedPreview } from "../redacted/RedactedPreview";
import { useSaveState } from "../workspace/saving/saving";
import { readsAsText } from "./eavesdropped";
import { Head } from "./Head";
import { headOfStream } from "./head-of";
import { useMarks, useOpenFile } from "./open-file";

interface RedactedDialogProps {
  draft: FileDraft;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

const LEFT_OUT: Readonly<Record<string, string>> = {
  docx: "A new Word document with paragraphs, tables, notes and pictures. A bar stands for each run of what is marked. Comments, deleted and hidden text, links, bookmarks and properties are left out, marked or not.",
  xlsx: "A new workbook with values and styles. What is marked, and each cell that a formula makes, is withheld. Formulas, hidden sheets, rows and columns, comments, names and charts are left out, marked or not.",
  pdf: "A new PDF. Marked pages are withheld; the others can be read and searched. Links, notes, forms, attachments and properties are left out, marked or not.",
  csv: "The same table with a bar in each cell that is withheld.",
  tsv: "The same table with a bar in each cell that is withheld.",
  jsonl: "The same rows; one bar stands for all members of a row that are withheld.",
};

/** The file without what is classified, made anew of what is saved: to look at before it is sent, and to hand on. */
export function RedactedDialog({ draft, open, onOpenChange }: RedactedDialogProps) {
  const { saver } = useOpenFile();
  const { phase } = useSaveState();
  const { marks } = useMarks();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open) void saver.flush();
  }, [open, saver]);
  const saved = phase.is === "saved";
  const made = useQuery({
    queryKey: ["content", "redacted", draft.id, draft.revision],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/v1/drafts/{draft_id}/content", {
        params: { path: { draft_id: draft.id }, query: { edition: "redacted" } },
        parseAs: "blob",
        signal,
      });
      const blob = data as unknown as Blob;
      return { blob, head: readsAsText(draft.format) ? await headOfStream(blob.stream()) : null };
    },
    enabled: open && saved,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const fresh = saved ? made.data : undefined;
  // Read in the very file that is made: what the parsers find in it, and not what was meant to be in it.
  const edition = draftEdition(draft.id, draft.revision);
  const again = useQuery({ ...editionOutlineQuery(edition), enabled: open && fresh?.head === null });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Redacted edition"
      description="A new file without what is classified, to look at and to hand on. It goes along with the file when that is sent, for recipients who are not cleared."
      width="lg"
      initialFocus={button}
      footer={
        <>
          <Button ref={button} onClick={() => onOpenChange(false)}>
            Close
          </Button>
          <Button
            tone="primary"
            icon={<FileDown aria-hidden />}
            disabled={!fresh}
            onClick={() => fresh && saveBlob(fresh.blob, redactedName(draft.name))}
          >
            Download
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 text-sm">
        <p>{LEFT_OUT[draft.format]}</p>
        {marks.length === 0 && <p>Nothing is marked yet, so it is the file as it is.</p>}
        {!saved && !made.error && <p className="text-quiet">It is made of what is saved, which takes a moment.</p>}
        {saved && made.isPending && <Skeleton label="Making the redacted edition, and reading it again" lines={3} />}
        {saved && made.error && (
          <ErrorPanel
            title="There is no redacted edition yet."
            problem={made.error}
            onRetry={() => void made.refetch()}
          />
        )}
        {fresh && (
          <p>
            <span className="wrap-anywhere font-medium">{redactedName(draft.name)}</span>
            <span className="text-quiet">
              {" · "}
              <Bytes value={fresh.blob.size} />
            </span>
          </p>
        )}
        {fresh?.head && <Head label="Its first lines" head={fresh.head} />}
        {fresh && !fresh.head && again.isPending && <Skeleton label="Reading what is in it" lines={3} />}
        {fresh && again.error && (
          <ErrorPanel title="It could not be read again." problem={again.error} onRetry={() => void again.refetch()} />
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
