import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { TriangleAlert } from "lucide-react";
import { type ReactNode, type Ref, useId } from "react";
import type { Format } from "@/api/files";
import { isPicture, type View, viewOf } from "@/api/formats";
import { ChannelIcon } from "@/components/channels";
import { cx } from "@/lib/cx";
import { MOST_LONG_BYTES } from "@/marked-text/limits";
import { FaultyLine } from "./FaultyLine";
import { kindText } from "./file-kind";
import { hasTags, type ImportMode, isUtf8 } from "./import-mode";
import { PreviewSheet } from "./PreviewSheet";
import { type FileHead, literalPreview, markedPreview } from "./preview";
import type { ScanResult } from "./scan";

interface ImportModeCardsProps {
  ref: Ref<HTMLDivElement>;
  file: File;
  head: FileHead | null;
  scanned: ScanResult;
  kind: Format;
  damaged: boolean;
  value: ImportMode | null;
  error: string | null;
  onValueChange: (mode: ImportMode) => void;
}

/** The ways to import a file, each with a preview of the first lines. */
export function ImportModeCards(props: ImportModeCardsProps) {
  const { ref, file, head, scanned, kind, damaged, value, error, onValueChange } = props;
  const id = useId();
  const view = viewOf(kind);
  const text = (view === "text" || view === "rows") && isUtf8(scanned) && head;
  const fileHint = damaged ? null : isPicture(kind) ? PICTURE_HINT : FILE_HINTS[view];
  return (
    <div className="flex flex-col gap-2">
      <span id={id} className="font-medium text-sm">
        <Trans>How should this file be imported?</Trans>
      </span>
      {error && (
        <p role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
      <RadioGroup
        ref={ref}
        aria-labelledby={id}
        aria-invalid={error ? true : undefined}
        value={value ?? ""}
        onValueChange={(chosen) => onValueChange(chosen as ImportMode)}
        className="grid gap-3 sm:grid-cols-2"
      >
        {fileHint && <Card value="file" title={fileTitle(kind)} hint={fileHint} wide />}
        {text && (
          <>
            {hasTags(scanned) && (
              <Card
                value="marked"
                title={t`Marked text`}
                hint={t`<$S> and <$E> mark classified text. These tags are not part of the document.`}
                found={<MarkedFound scanned={scanned} />}
                preview={
                  scanned.fault ? (
                    <FaultyLine file={file} place={scanned.fault} />
                  ) : (
                    <PreviewSheet preview={markedPreview(text)} />
                  )
                }
              />
            )}
            <Card
              value="literal"
              wide={!hasTags(scanned)}
              title={t`Literal text`}
              hint={
                file.size > MOST_LONG_BYTES
                  ? t`Every character is text, including tags. Nothing is classified, and the file is too large to mark in the editor.`
                  : t`Every character is text, including tags. Nothing is classified until you mark it in the editor.`
              }
              found={hasTags(scanned) ? t`Tags stay in the text` : t`No tags found`}
              preview={<PreviewSheet preview={literalPreview(text)} />}
            />
          </>
        )}
        <Card
          value="whole"
          title={t`Classify the whole file`}
          hint={
            text
              ? t`All of it is sent on the secure channel. Any tags are treated as text.`
              : t`All of it is sent on the secure channel. The gateway does not read it, so damaged files work too.`
          }
          icon={<ChannelIcon channel="secure" />}
          wide
        />
      </RadioGroup>
    </div>
  );
}

/** The same for a picture. */
export const PICTURE_HINT = t`It is classified as a whole at first. On the next page you can mark areas instead, so that the redacted edition shows the rest.`;

/** What the author does next with a file that is not plain text. */
export const FILE_HINTS: Readonly<Record<View, string | null>> = {
  text: null,
  paragraphs: t`Mark its text on the next page, where hidden content is shown too. The file itself does not change.`,
  sheets: t`Mark cells and sheets on the next page, where hidden content is shown too. The file itself does not change.`,
  pages: t`Mark text and pages on the next page, where hidden content is shown too. The file itself does not change.`,
  rows: t`Mark columns, rows and cells on the next page. Every character is content, including tags.`,
  bytes: t`Classify all of it, or ranges of its bytes, on the next page. Until then all of it is plain.`,
};

/** What a file that is not plain text is. */
export function fileTitle(kind: Format): string {
  if (viewOf(kind) === "rows") return t`Table`;
  return kindText(kind) ?? t`Other file`;
}

function MarkedFound({ scanned }: { scanned: ScanResult }) {
  const { fault, spans } = scanned;
  if (!fault) return spans === 0 ? t`No spans` : plural(spans, { one: "# span", other: "# spans" });
  return (
    <span className="flex gap-1.5 text-danger">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      {t`Tags don’t match: line ${{ line: fault.line }}, column ${{ column: fault.column }}`}
    </span>
  );
}

interface CardProps {
  value: ImportMode;
  title: string;
  hint: string;
  icon?: ReactNode;
  found?: ReactNode;
  preview?: ReactNode;
  wide?: boolean;
}

function Card({ value, title, hint, icon, found, preview, wide = false }: CardProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is Base UI's, inside the label
    <label
      className={cx(
        "flex min-w-0 flex-col gap-2 rounded-md border border-edge/60 bg-raised p-3 text-sm hover:border-ink has-data-checked:border-ink has-data-checked:bg-sunken has-data-checked:shadow-[inset_0_0_0_1px_var(--ink)]",
        wide && "sm:col-span-2",
      )}
    >
      <span className="flex items-start gap-3">
        <Radio.Root
          value={value}
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-hint ${id}-found`}
          className="mt-px flex size-5 shrink-0 items-center justify-center rounded-full border border-edge bg-raised data-checked:border-ink"
        >
          <Radio.Indicator className="size-2.5 rounded-full bg-ink data-unchecked:hidden forced-colors:bg-[Highlight]" />
        </Radio.Root>
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-1.5 font-medium">
            {icon}
            <span id={`${id}-title`}>{title}</span>
          </span>
          <span id={`${id}-hint`} className="block text-quiet">
            {hint}
          </span>
        </span>
      </span>
      {preview}
      {found && (
        <span id={`${id}-found`} className="mt-auto font-medium">
          {found}
        </span>
      )}
    </label>
  );
}
