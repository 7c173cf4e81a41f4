import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { gatewayQuery } from "@/api/gateway";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Progress } from "@/components/ui/Progress";
import { nameError } from "@/lib/document-name";
import { sizeText } from "@/lib/sizes";
import { FileFacts } from "./FileFacts";
import { ImportErrorPanel } from "./ImportErrorPanel";
import { ImportModeCards } from "./ImportModeCards";
import { importErrorOf, sizeError } from "./import-error";
import { type ImportMode, isPlainText, isTooLargeInAnyMode, suggestedMode } from "./import-mode";
import { useFileScan } from "./use-file-scan";
import { useUpload } from "./use-upload";

interface ImportDialogProps {
  /** Give the dialog a new key for each file. */
  file: File;
  open: boolean;
  onImported: (draft: DraftShown) => void;
  /** Choose another file instead of this one. */
  onChooseAgain: () => void;
  onClose: () => void;
}

/**
 * Asks for the name of a file and how to import it, then uploads it. A text without tags needs no answer: it is uploaded at
 * once, and asks only if that fails. Of other files nothing is sent before the author submits.
 */
export function ImportDialog({ file, open, onImported, ...callbacks }: ImportDialogProps) {
  const form = useId();
  const firstField = useRef<HTMLInputElement>(null);
  const readings = useRef<HTMLDivElement>(null);
  const gateway = useQuery(gatewayQuery).data;
  const maxBytes = gateway?.max_document_bytes ?? Number.POSITIVE_INFINITY;
  const hopeless = isTooLargeInAnyMode(file.size, maxBytes);
  const examined = useFileScan(hopeless ? null : file);
  const [name, setName] = useState(file.name);
  const [picked, setPicked] = useState<ImportMode | null>(null);
  const [asked, setAsked] = useState(false);
  const { sending, send, forget } = useUpload(file, onImported);

  const scanned = examined.is === "known" ? examined.scanned : null;
  const reading = picked ?? (examined.is === "known" ? suggestedMode(examined) : null);
  const content = examined.is === "known" && reading !== "whole" ? examined.content : file;
  const refusal = hopeless
    ? sizeError(file.size, maxBytes)
    : scanned && reading && importErrorOf(content, reading, scanned, maxBytes, sending);
  const underWay = sending.is === "under way";

  const asksNothing =
    open &&
    gateway !== undefined &&
    examined.is === "known" &&
    isPlainText(examined) &&
    !refusal &&
    !nameError(file.name);
  // By itself once at most, and not after the author pressed Import.
  const begun = useRef(false);
  const begin = useEffectEvent(() => {
    if (begun.current || examined.is !== "known") return;
    begun.current = true;
    void send(file.name, "literal", examined);
  });
  useEffect(() => {
    if (asksNothing) begin();
  }, [asksNothing]);

  const submit = () => {
    setAsked(true);
    begun.current = true;
    if (nameError(name)) firstField.current?.focus();
    else if (!reading) readings.current?.querySelector<HTMLElement>("[role=radio]")?.focus();
    else if (examined.is === "known") void send(name.trim(), reading, examined);
  };

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && callbacks.onClose()}
      insistent={underWay}
      width="lg"
      title={t`Import a document`}
      initialFocus={firstField}
      footer={
        underWay ? (
          <Button ref={focused} onClick={forget}>
            <Trans>Cancel import</Trans>
          </Button>
        ) : (
          <>
            <Button onClick={callbacks.onChooseAgain} className="mr-auto">
              <Trans>Choose another file</Trans>
            </Button>
            <Button onClick={callbacks.onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              tone="primary"
              type="submit"
              form={form}
              busy={examined.is === "reading" && !hopeless}
              disabled={examined.is === "unreadable" || Boolean(refusal?.blocking)}
            >
              <Trans>Import</Trans>
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
            label={t`Name`}
            hint={t`All recipients can see the name, whether they are cleared or not.`}
            error={asked ? nameError(name) : null}
          >
            <Input ref={firstField} value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" />
          </Field>
          {!hopeless && <FileFacts file={file} examined={examined} />}
          {examined.is === "known" && (
            <ImportModeCards
              ref={readings}
              file={examined.content}
              head={examined.head}
              scanned={examined.scanned}
              kind={examined.kind}
              damaged={examined.damaged}
              value={reading}
              error={asked && !reading ? t`Choose how to import the file.` : null}
              onValueChange={(chosen) => {
                setPicked(chosen);
                forget();
              }}
            />
          )}
          {refusal && (
            <ImportErrorPanel
              key={`${reading} ${refusal.title}`}
              file={content}
              title={refusal.title}
              problem={refusal.problem}
              onRetry={refusal.retry && submit}
              takesFocus={!refusal.blocking}
            />
          )}
        </form>
      )}
    </Dialog>
  );
}

/** For a button that replaces the one that was just pressed. */
function focused(button: HTMLButtonElement | null): void {
  button?.focus();
}

function UnderWay({ name, sent, total }: { name: string; sent: number; total: number }) {
  const all = sent >= total && total > 0;
  return (
    <div className="flex flex-col gap-3">
      <p className="wrap-anywhere font-medium">{name}</p>
      <Progress
        label={all ? t`The gateway is storing the file` : t`Uploading to the gateway`}
        value={sent}
        max={Math.max(total, 1)}
      />
      <p className="text-quiet text-sm">{t`${{ sent: sizeText(sent) }} of ${{ total: sizeText(total) }}`}</p>
    </div>
  );
}
