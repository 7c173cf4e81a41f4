import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { gatewayQuery } from "@/api/gateway";
import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Progress } from "@/components/ui/Progress";
import { mediaTypeOf } from "@/lib/media-types";
import { sizeText } from "@/lib/sizes";
import { nameFault } from "../names";
import { ReadingCards } from "./ReadingCards";
import { Refusal } from "./Refusal";
import { holdsText, type Reading, suggested, tooLarge } from "./reading";
import type { Scanned } from "./scan";
import { type Examined, useExamined } from "./use-examined";
import { type Sending, useSending } from "./use-sending";

export interface ImportDialogProps {
  /** Give each file a dialog of its own, by key. */
  file: File;
  open: boolean;
  /** Of how many files chosen at once this is which. */
  number: number;
  count: number;
  /** What was imported just before this one. */
  before: string | null;
  onImported: (draft: DraftShown) => void;
  /** Another file instead of this one. */
  onChooseAgain: () => void;
  onSkip: () => void;
  onClose: () => void;
}

/** Asks what a file is called and how it is to be read, then sends it. Nothing is sent before the author has said so. */
export function ImportDialog({ file, open, number, count, before, onImported, ...deeds }: ImportDialogProps) {
  const form = useId();
  const firstField = useRef<HTMLInputElement>(null);
  const readings = useRef<HTMLDivElement>(null);
  const examined = useExamined(file);
  const { data: gateway } = useQuery(gatewayQuery);
  const [name, setName] = useState(file.name);
  const [picked, setPicked] = useState<Reading | null>(null);
  const [asked, setAsked] = useState(false);
  const { sending, send, forget } = useSending(file, onImported);

  const scanned = examined.is === "known" ? examined.scanned : null;
  const reading = picked ?? (scanned && suggested(scanned));
  const refusal = scanned && reading && refusalOf(file, reading, scanned, gateway?.max_document_bytes, sending);
  const underWay = sending.is === "under way";

  const submit = () => {
    setAsked(true);
    if (nameFault(name)) firstField.current?.focus();
    else if (!reading) readings.current?.querySelector<HTMLElement>("[role=radio]")?.focus();
    else if (scanned) void send(name.trim(), reading, scanned);
  };

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && deeds.onClose()}
      insistent={underWay}
      width="lg"
      title="Import a document"
      description={count > 1 ? `File ${number} of ${count}.${before ? ` Imported: ${before}.` : ""}` : undefined}
      initialFocus={firstField}
      footer={
        underWay ? (
          <Button ref={focused} onClick={forget}>
            Cancel the import
          </Button>
        ) : (
          <>
            <Button onClick={deeds.onChooseAgain} className="mr-auto">
              Another file
            </Button>
            {number < count && <Button onClick={deeds.onSkip}>Skip this file</Button>}
            <Button onClick={deeds.onClose}>Cancel</Button>
            <Button
              tone="primary"
              type="submit"
              form={form}
              busy={examined.is === "reading"}
              disabled={examined.is === "unreadable" || Boolean(refusal?.standing)}
            >
              Import
            </Button>
          </>
        )
      }
    >
      {underWay ? (
        <UnderWay name={name} sent={sending.sent} total={sending.total} />
      ) : (
        <form
          id={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
          className="flex flex-col gap-5"
        >
          <Field
            label="Name"
            hint="Everybody who gets the document sees its name, cleared or not."
            error={asked ? nameFault(name) : null}
          >
            <Input ref={firstField} value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" />
          </Field>
          <FileFacts file={file} examined={examined} />
          {scanned && (
            <ReadingCards
              ref={readings}
              file={file}
              head={examined.is === "known" ? examined.head : null}
              scanned={scanned}
              value={reading}
              error={asked && !reading ? "Choose how it is to be read." : null}
              onValueChange={(chosen) => {
                setPicked(chosen);
                forget();
              }}
            />
          )}
          {refusal && (
            <Refusal
              key={`${reading} ${refusal.title}`}
              file={file}
              title={refusal.title}
              problem={refusal.problem}
              onRetry={refusal.retry && submit}
              takesFocus={!refusal.standing}
            />
          )}
        </form>
      )}
    </Dialog>
  );
}

/** For a button that takes the place of the one that was just pressed. */
function focused(button: HTMLButtonElement | null): void {
  button?.focus();
}

/** Why this reading cannot be imported, or could not. `standing`: it would not help to try again. */
function refusalOf(
  file: File,
  reading: Reading,
  scanned: Scanned,
  maxBytes: number | undefined,
  sending: Sending,
): { title: string; problem: Problem; standing: boolean; retry: boolean } | null {
  const { fault } = scanned;
  if (reading === "marked" && fault) {
    const problem = new Problem(422, `Line ${fault.line}, column ${fault.column}: ${fault.reason}.`);
    return { title: "As marked text it would be refused.", problem, standing: true, retry: false };
  }
  const large = maxBytes === undefined ? null : tooLarge(file.size, reading, scanned, maxBytes);
  if (large) return { title: "It is too large.", problem: new Problem(413, large), standing: true, retry: false };
  if (sending.is !== "failed") return null;
  const { problem, sent } = sending;
  const title =
    problem.status === 0 && sent > 0
      ? `The import broke off after ${sizeText(sent)}. Nothing of it was kept.`
      : "It was not imported. Nothing of it was kept.";
  return { title, problem, standing: false, retry: problem.status !== 422 && problem.status !== 413 };
}

function FileFacts({ file, examined }: { file: File; examined: Examined }) {
  if (examined.is === "unreadable") {
    return (
      <ErrorPanel
        title="This file cannot be read."
        problem={new Problem(0, "It was changed, moved or removed, or it is a folder. Choose another one.")}
      />
    );
  }
  if (examined.is === "reading") {
    return <Progress label="Reading the file" value={examined.read} max={Math.max(file.size, 1)} />;
  }
  const { notUtf8 } = examined.scanned;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="text-quiet">
        <Bytes value={file.size} />
        {" · "}
        {mediaTypeOf(file, holdsText(examined.scanned))}
        {notUtf8 ? " · not text in UTF-8" : " · text in UTF-8"}
      </p>
      {notUtf8 && (
        <p>
          Only text in UTF-8 can be marked in parts, and this file is none from line {notUtf8.line}, column{" "}
          {notUtf8.column} on. It can be sent as it is: all of it plain, or all of it classified. If it is meant as
          text, save it as UTF-8 and choose it again.
        </p>
      )}
    </div>
  );
}

function UnderWay({ name, sent, total }: { name: string; sent: number; total: number }) {
  const all = sent >= total && total > 0;
  return (
    <div className="flex flex-col gap-3">
      <p className="wrap-anywhere font-medium">{name}</p>
      <Progress
        label={all ? "The gateway stores it" : "Sending to the gateway"}
        value={sent}
        max={Math.max(total, 1)}
      />
      <p className="text-quiet text-sm">
        {sizeText(sent)} of {sizeText(total)}
      </p>
    </div>
  );
}
