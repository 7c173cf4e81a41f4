import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { isText, mediaTypeOf } from "@/api/media-types";
import { Problem, UNREACHABLE } from "@/api/problem";
import { Bytes } from "@/components/ui/Bytes";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Progress } from "@/components/ui/Progress";
import { kindText } from "./file-kind";
import { isUtf8 } from "./import-mode";
import type { Encoding } from "./text-encoding";
import type { FileScan } from "./use-file-scan";

/** The size and type of a file, and whether parts of it can be marked. */
export function FileFacts({ file, examined }: { file: File; examined: FileScan }) {
  if (examined.is === "unreadable") {
    return (
      <ErrorPanel
        title={t`This file cannot be read.`}
        problem={new Problem(UNREACHABLE, t`It was changed, moved or removed, or it is a folder. Choose another file.`)}
      />
    );
  }
  if (examined.is === "reading") {
    return <Progress label={t`Reading the file`} value={examined.read} max={Math.max(file.size, 1)} />;
  }
  const { notUtf8 } = examined.scanned;
  const { encoding } = examined;
  const kind = kindText(examined.kind);
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="text-quiet">
        <Bytes value={file.size} />
        {" · "}
        {kind ?? mediaTypeOf(file, isUtf8(examined.scanned))}
        {kind === null && ` · ${notUtf8 ? t`not text in UTF-8` : t`text in ${{ encoding: encoding ?? "UTF-8" }}`}`}
      </p>
      {encoding && <p>{CONVERTED[encoding]}</p>}
      {examined.damaged && <p className="text-danger">{damagedText()}</p>}
      {notUtf8 && examined.kind === "bytes" && (
        <p>
          {meantAsText(file)
            ? t`This file is not valid UTF-8 text from line ${{ line: notUtf8.line }}, column ${{ column: notUtf8.column }}. Save it as UTF-8 and choose it again.`
            : t`The gateway cannot read files of this type.`}{" "}
          <Trans>You can still classify the whole file, or ranges of its bytes.</Trans>
        </p>
      )}
    </div>
  );
}

/** What the author must know about a text that is converted. */
export const CONVERTED: Readonly<Record<Encoding, string>> = {
  "UTF-16": t`This text is converted from UTF-16 to UTF-8.`,
  "Latin-1": t`This text is converted from Latin-1 (Windows-1252) to UTF-8. Check that its letters are right.`,
};

/** Says that a file is damaged, and what can still be done. */
export function damagedText(): string {
  return t`This file is damaged, or of another type than its name says. It can only be classified as a whole.`;
}

/** Whether the browser calls it text, or does not know its type. */
function meantAsText({ type }: File): boolean {
  return type === "" || isText(type);
}
