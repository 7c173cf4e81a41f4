import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import type { FileDraft } from "@/api/files";
import { isPicture, type View, viewOf } from "@/api/formats";
import { FindingsPanel, useFindings } from "../workspace/panels/FindingsPanel";
import { MarksList } from "../workspace/panels/MarksList";
import { ShareSummary } from "../workspace/panels/ShareSummary";
import { useSaveState } from "../workspace/saving/saver-context";
import { type Listed, listed } from "./model/listed-marks";
import { useOpenFile } from "./open-file";
import { useCellTexts } from "./table/use-cell-texts";
import { useUnits } from "./units-store";
import { type Jump, useMarks } from "./viewed-file";
import { WhyClassified } from "./WhyClassified";

/** How much of the file is classified, the findings, and the marks. */
export function MarksPanel({ draft, onJump }: { draft: FileDraft; onJump: Jump }) {
  const file = useOpenFile();
  const { marks } = useMarks();
  const { checked } = useFindings(file.leaks);
  const { units } = useUnits(file.units);
  const cells = useCellTexts(file, marks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: excerpts are of the units that are there
  const items = useMemo(() => {
    return listed(file.format, marks, (address) => file.units.unit(address)?.text ?? cells.get(address) ?? null);
  }, [file, marks, cells, units.length]);
  return (
    <div className="flex max-h-full min-h-0 flex-col gap-4">
      <div>
        <Share draft={draft} />
        <WhyClassified draft={draft} />
      </div>
      {file.isChecked && checked?.rule !== "off" && (
        <FindingsPanel
          surface={file.surface}
          leaks={file.leaks}
          nothingPlain={draft.plain_bytes === 0}
          onJump={({ address, start, end }) => onJump(address, start, end)}
          hint={
            file.isLarge
              ? t`Large files are checked only when you ask.`
              : t`The gateway checks for leaks when you pause.`
          }
          className="max-h-[34dvh] lg:max-h-[44dvh]"
        />
      )}
      <MarksList
        title={t`Marks`}
        count={marks.length}
        listed={items.length}
        how={isPicture(file.format) ? PICTURE_HOW : HOW[viewOf(file.format)]}
        row={(index) => {
          const item = items[index];
          const [mark] = item?.marks ?? [];
          return (
            item &&
            mark && {
              key: `${mark.address} ${mark.start} ${mark.rule}`,
              excerpt: item.excerpt,
              title: item.where,
              note: noteOf(item),
              label: mark.label || null,
              name: item.where,
            }
          );
        }}
        onJump={(index) => {
          const [mark] = items[index]?.marks ?? [];
          if (mark) onJump(mark.address, mark.start, mark.end);
        }}
        onUnmark={(indexes) => {
          const chosen = indexes.flatMap((index) => items[index] ?? []);
          const [item] = chosen;
          if (!item) return;
          const words = chosen.length === 1 ? item.where : plural(chosen.length, { one: "# place", other: "# places" });
          file.unmark(
            chosen.flatMap(({ marks }) => marks),
            words,
          );
        }}
      />
    </div>
  );
}

/** The sizes of the latest save; dimmed while a newer one is pending. */
function Share({ draft }: { draft: FileDraft }) {
  const { is } = useSaveState().phase;
  const counting = is === "changed" || is === "saving" || is === "comparing";
  const { document_bytes, classified_bytes, plain_bytes } = draft;
  return (
    <div
      aria-busy={counting || undefined}
      className={counting ? "opacity-60 transition-opacity" : "transition-opacity"}
    >
      <ShareSummary
        counts={{
          proportion: document_bytes === 0 ? 0 : classified_bytes / document_bytes,
          documentBytes: document_bytes,
          classifiedBytes: classified_bytes,
          plainBytes: plain_bytes,
        }}
      />
    </div>
  );
}

function noteOf({ excerpt, where, marks: [mark] }: Listed): string {
  const place = mark?.start === null ? t`${where}, all of it` : where;
  const rule = mark?.rule ? t`by ${{ rule: mark.rule }}` : "";
  return [excerpt ? place : "", rule, mark?.reason ?? ""].filter(Boolean).join(" · ");
}

const PICTURE_HOW = t`Draw over what must stay secret, or mark all of the picture.`;

const HOW: Readonly<Record<View, string>> = {
  text: t`Select what must stay secret and press Mark.`,
  paragraphs: t`Select what must stay secret and press Mark, or point at a paragraph and press the lock beside it to mark all of it.`,
  sheets: t`Choose cells, or a column or row heading, and press Mark.`,
  rows: t`Choose a column or row heading, or cells, and press Mark.`,
  pages: t`Select text on a page and press Mark, draw over an area of it, or mark the whole page.`,
  bytes: t`Classify the whole file, or choose byte ranges.`,
};
