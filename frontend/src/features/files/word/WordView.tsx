import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { FileText } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { Unit } from "@/api/files";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { blocksOf } from "@/components/word/blocks";
import { WordBlocks } from "@/components/word/WordBlocks";
import { cx } from "@/lib/cx";
import { FileBubble, selectionEnds } from "../FileBubble";
import { type MarkIndex, whole } from "../model/marks";
import { type Section, sectionsOf, sectionsToRead } from "../model/sections";
import { TextCaret } from "../TextCaret";
import { TextRegion } from "../TextRegion";
import { markingOf, UnitRow } from "../UnitRow";
import { UnitsState } from "../UnitsState";
import { useUnits } from "../units-store";
import { useHighlightedText } from "../use-highlighted";
import { useTextChoice } from "../use-text-choice";
import { focusText, useTextJump } from "../use-text-jump";
import { useMarks, useViewedFile } from "../viewed-file";
import "../files.css";

/** A Word document: its text part by part, with hidden text in its place, then everything outside the text. */
export function WordView() {
  const file = useViewedFile();
  const { units, is } = useUnits(file.units);
  const { index } = useMarks();
  const root = useRef<HTMLDivElement>(null);
  const sections = useMemo(() => (file.marking ? sectionsOf(units) : sectionsToRead(units)), [units, file]);
  useEffect(() => file.units.start(), [file]);
  useTextChoice(root, (address) => file.units.unit(address)?.text ?? null);
  useTextJump(root);
  useHighlightedText(root);
  return (
    <div ref={root} className="relative mx-auto flex w-full max-w-[52rem] flex-col gap-6">
      <TextCaret root={root} />
      {sections.map((section) => (
        <SectionView key={section.key} section={section} index={index} />
      ))}
      <UnitsState />
      {is === "done" && sections.length === 0 && (
        <EmptyState icon={<FileText />} title={t`There is no text in this document`}>
          {file.marking && t`You can still send it.`}
        </EmptyState>
      )}
      <FileBubble root={root} ends={() => selectionEnds(root.current)} onBack={() => focusText(root.current)} />
    </div>
  );
}

function SectionView({ section, index }: { section: Section; index: MarkIndex }) {
  const file = useViewedFile();
  const { title, lead, part, units } = section;
  const { format, marking } = file;
  const blocks = useMemo(() => blocksOf(units), [units]);
  const draw = useCallback(
    (unit: Unit) => <UnitRow unit={unit} format={format} {...markingOf(index, unit.address)} />,
    [format, index],
  );
  const all = part !== null && index.isWhole(part);
  const text = (
    <TextRegion label={t`Text: ${title}`} className={cx("sheet file-sheet", all && "file-sheet-marked")}>
      <WordBlocks blocks={blocks} draw={draw} />
    </TextRegion>
  );
  // Authors must see what is hidden; readers need not.
  if (!marking && units.every(({ hidden, text }) => hidden !== "" || text === "")) {
    return (
      <details data-part={part ?? undefined} className="print:hidden">
        <summary className="cursor-pointer font-medium text-quiet text-sm">{title}</summary>
        <div className="mt-2">{text}</div>
      </details>
    );
  }
  return (
    <section aria-label={title} data-part={part ?? undefined} className="scroll-mt-32">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="font-serif text-xl">{title}</h2>
          {lead && <p className="text-quiet text-sm">{lead}</p>}
        </div>
        {marking && part !== null && (
          <Button
            size="sm"
            aria-pressed={all}
            onClick={() => (all ? marking.unmark([whole(part)], title) : marking.mark([whole(part)], title))}
          >
            {all ? (
              <Trans>
                Unmark all<span className="sr-only"> of {title}</span>
              </Trans>
            ) : (
              <Trans>
                Mark all<span className="sr-only"> of {title}</span>
              </Trans>
            )}
          </Button>
        )}
      </div>
      {text}
    </section>
  );
}
