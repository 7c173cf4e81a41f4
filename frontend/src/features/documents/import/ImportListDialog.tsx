import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CircleCheck, X } from "lucide-react";
import { type ReactNode, useRef, useSyncExternalStore } from "react";
import { viewOf } from "@/api/formats";
import { mediaTypeOf } from "@/api/media-types";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { IconButton } from "@/components/ui/IconButton";
import { CONTROL } from "@/components/ui/Input";
import { Progress } from "@/components/ui/Progress";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { sizeText } from "@/lib/sizes";
import type { ExaminedFile } from "./examine-file";
import { CONVERTED, damagedText } from "./FileFacts";
import { kindText } from "./file-kind";
import { FILE_HINTS, fileTitle } from "./ImportModeCards";
import { type ImportList, type ImportRow, leftOf, MOST_FILES } from "./import-list";
import { hasTags, type ImportMode, isUtf8 } from "./import-mode";

interface ImportListDialogProps {
  list: ImportList;
  open: boolean;
  onClose: () => void;
}

/** Imports many files: a row for each, with how it will be imported, and one button for all. */
export function ImportListDialog({ list, open, onClose }: ImportListDialogProps) {
  const { rows, notListed, underWay } = useSyncExternalStore(list.subscribe, list.state);
  const first = useRef<HTMLButtonElement>(null);
  const all = rows.length;
  const ready = rows.filter((row) => list.isReady(row)).length;
  const done = rows.filter(({ sending }) => sending.is === "done").length;
  const failed = rows.filter(({ sending }) => sending.is === "failed").length;
  const examined = rows.filter((row) => row.examined || list.problemOf(row)).length;
  const reading = examined < rows.length;
  const left = rows.length - done;
  const untouched = !underWay && done === 0 && failed === 0;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      insistent={underWay}
      width="lg"
      initialFocus={first}
      title={plural(all, { one: "Import # file", other: "Import # files" })}
      description={
        <>
          <p>
            <Trans>All recipients can see the names, whether they are cleared or not.</Trans>
          </p>
          {notListed > 0 && (
            <p>
              {t`Only the first ${MOST_FILES} files are listed. Import the other ${{ count: numberText(notListed) }} afterwards.`}
            </p>
          )}
        </>
      }
      footer={
        <>
          <p role="status" className="mr-auto self-center text-quiet text-sm">
            {reading ? readText(examined, all) : !untouched && resultText(list, rows, underWay)}
          </p>
          {underWay ? (
            <Button onClick={() => list.stop()}>
              <Trans>Stop</Trans>
            </Button>
          ) : (
            <>
              <Button ref={first} onClick={onClose}>
                {done > 0 ? t`Close` : t`Cancel`}
              </Button>
              {left > 0 && (
                <Button tone="primary" busy={reading} disabled={ready === 0} onClick={() => void list.importAll()}>
                  {buttonText(ready, left, failed)}
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      <table className="w-full border-collapse text-sm max-sm:block">
        <thead className="border-line border-b text-left text-quiet text-xs max-sm:sr-only">
          <tr>
            <th scope="col" className="py-2 pr-3 font-medium">
              <Trans>File</Trans>
            </th>
            <th scope="col" className="w-64 py-2 pr-3 font-medium">
              <Trans>Import as</Trans>
            </th>
            <th scope="col" className="w-9">
              <span className="sr-only">
                <Trans>Remove</Trans>
              </span>
            </th>
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <Row key={row.id} row={row} list={list} underWay={underWay} />
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function buttonText(ready: number, left: number, failed: number): string {
  if (failed > 0 && failed === ready) return t`Try again`;
  return ready === left ? t`Import all` : t`Import ${{ ready: numberText(ready) }} of ${{ left: numberText(left) }}`;
}

function Row({ row, list, underWay }: { row: ImportRow; list: ImportList; underWay: boolean }) {
  const { id, file, name, examined, sending } = row;
  const problem = list.problemOf(row);
  const known = examined && examined !== "unreadable" ? examined : null;
  const hopeless = problem?.blocking && !known;
  return (
    <tr className="border-line border-b align-top max-sm:relative max-sm:block max-sm:py-3">
      <th scope="row" className="py-2.5 pr-3 text-left font-normal max-sm:block max-sm:py-0 max-sm:pr-12">
        <span className="wrap-anywhere block font-medium">{name}</span>
        <span className="block text-quiet">
          <Bytes value={file.size} />
          {known && ` · ${kindOf(file, known)}`}
        </span>
        {name !== file.name && (
          <span className="block text-quiet">
            <Trans>Numbered, because another file has this name.</Trans>
          </span>
        )}
        {known?.encoding && row.reading !== "whole" && <span className="block">{CONVERTED[known.encoding]}</span>}
        {known?.damaged && <span className="block text-danger">{damagedText()}</span>}
        {problem && <span className="wrap-anywhere block text-danger">{problem.text}</span>}
      </th>
      <td className="py-2 pr-3 max-sm:mt-2 max-sm:block max-sm:p-0">
        <Choice
          row={row}
          known={known}
          hopeless={Boolean(hopeless)}
          onChoose={(reading) => list.choose(id, reading)}
          underWay={underWay}
        />
      </td>
      <td className="py-2 text-right max-sm:absolute max-sm:top-2 max-sm:right-0 max-sm:block">
        {sending.is !== "done" && !underWay && (
          <IconButton label={t`Remove ${name} from the list`} icon={<X />} size="sm" onClick={() => list.remove(id)} />
        )}
      </td>
    </tr>
  );
}

interface ChoiceProps {
  row: ImportRow;
  known: ExaminedFile | null;
  hopeless: boolean;
  underWay: boolean;
  onChoose: (reading: ImportMode) => void;
}

/** How a file will be imported, or how far it is. */
function Choice({ row: { name, reading, sending }, known, hopeless, underWay, onChoose }: ChoiceProps): ReactNode {
  if (sending.is === "done") {
    return (
      <span className="flex h-9 items-center gap-1.5 text-ok">
        <CircleCheck aria-hidden className="size-4" />
        <Trans>Imported</Trans>
      </span>
    );
  }
  if (sending.is === "under way") {
    return <Progress label={sizeText(sending.sent)} value={sending.sent} max={Math.max(sending.total, 1)} />;
  }
  if (sending.is === "waiting")
    return (
      <span className="flex h-9 items-center text-quiet">
        <Trans>Waiting</Trans>
      </span>
    );
  if (hopeless) return null;
  if (!known)
    return (
      <span className="flex h-9 items-center text-quiet">
        <Trans>Reading the file</Trans>
      </span>
    );
  return (
    <select
      aria-label={t`Import ${name} as`}
      value={reading ?? ""}
      disabled={underWay}
      onChange={({ target }) => onChoose(target.value as ImportMode)}
      className={cx(CONTROL, "h-9 pointer-coarse:h-11 truncate")}
    >
      {reading === null && (
        <option value="" disabled>
          <Trans>Choose</Trans>
        </option>
      )}
      {choicesOf(known).map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function kindOf(file: File, { kind, encoding, scanned }: ExaminedFile): string {
  const named = kindText(kind);
  if (named) return encoding ? t`${named} in ${encoding}` : named;
  return isUtf8(scanned) ? t`text in ${{ encoding: encoding ?? "UTF-8" }}` : mediaTypeOf(file, false);
}

/** The ways to import it, the safe one for each kind first. */
function choicesOf({ kind, scanned, damaged }: ExaminedFile): { value: ImportMode; label: string }[] {
  const whole = { value: "whole" as const, label: t`Classified as a whole` };
  if (damaged) return [whole];
  const view = viewOf(kind);
  const { spans } = scanned;
  const file = FILE_HINTS[view] && { value: "file" as const, label: unmarked(fileTitle(kind)) };
  if (file && view === "bytes") return [whole, file];
  const choices: { value: ImportMode; label: string }[] = file ? [file] : [];
  if ((view === "text" || view === "rows") && isUtf8(scanned)) {
    if (hasTags(scanned)) {
      if (!scanned.fault) {
        choices.push({
          value: "marked",
          label: plural(spans, { one: "Marked text: # span", other: "Marked text: # spans" }),
        });
      }
      choices.push({ value: "literal", label: t`Literal text: tags stay` });
    } else choices.push({ value: "literal", label: unmarked(t`Text`) });
  }
  return [...choices, whole];
}

function unmarked(kind: string): string {
  return t`${kind}: nothing is classified yet`;
}

function readText(read: number, all: number): string {
  const count = numberText(read);
  return plural(all, { one: `${count} of # file read.`, other: `${count} of # files read.` });
}

/** How many are imported, and what became of each of the others. */
function resultText(list: ImportList, rows: readonly ImportRow[], underWay: boolean): string {
  const done = rows.filter(({ sending }) => sending.is === "done").length;
  const imported = t`${{ done: numberText(done) }} of ${{ all: numberText(rows.length) }} imported.`;
  if (underWay) return imported;
  const { failed, undecided, impossible } = leftOf(list, rows);
  return [
    imported,
    failed > 0 && t`${{ count: numberText(failed) }} failed.`,
    undecided > 0 && plural(undecided, { one: "# needs your choice.", other: "# need your choice." }),
    impossible > 0 && t`${{ count: numberText(impossible) }} cannot be imported.`,
  ]
    .filter(Boolean)
    .join(" ");
}
