import { t } from "@lingui/core/macro";
import { useMemo, useRef } from "react";
import type { Unit } from "@/api/files";
import { isPicture } from "@/api/formats";
import { TextRegion } from "../TextRegion";
import { markingOf, UnitRow } from "../UnitRow";
import { UnitsState } from "../UnitsState";
import { useUnits } from "../units-store";
import { useTextChoice } from "../use-text-choice";
import { useMarks, useViewedFile } from "../viewed-file";

const PAGE = /^page\/\d+$/;

/** Images, and all that a PDF holds beside its pages: properties, bookmarks, notes, forms, earlier revisions. */
export function BesidePages() {
  const file = useViewedFile();
  const { units, is } = useUnits(file.units);
  const root = useRef<HTMLDivElement>(null);
  const beside = useMemo(() => units.filter((unit) => !PAGE.test(unit.address)), [units]);
  useTextChoice(root, (address) => file.units.unit(address)?.text ?? null);
  return (
    <div ref={root} data-beside className="flex flex-col gap-6">
      <UnitsSection title={t`Images`} lead={t`Marking an image also marks its page.`} units={beside.filter(isImage)} />
      <UnitsSection
        title={isPicture(file.format) ? t`Beside the picture` : t`Outside the pages`}
        lead={t`No page shows this, but the file includes it. It is classified as soon as anything is marked.`}
        units={beside.filter((unit) => !isImage(unit))}
      />
      <UnitsState />
      {is === "done" && beside.length === 0 && (
        <p className="text-quiet text-sm">
          {isPicture(file.format)
            ? t`The gateway found no text in the picture’s metadata.`
            : t`This file contains nothing outside its pages.`}
        </p>
      )}
    </div>
  );
}

function UnitsSection({ title, lead, units }: { title: string; lead: string; units: readonly Unit[] }) {
  const { format } = useViewedFile();
  const { index } = useMarks();
  if (units.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="font-serif text-xl">{title}</h2>
      <p className="mb-2 text-quiet text-sm">{lead}</p>
      <TextRegion label={t`Text: ${title}`} className="sheet file-sheet">
        {units.map((unit) => (
          <UnitRow key={unit.address} unit={unit} format={format} {...markingOf(index, unit.address)} />
        ))}
      </TextRegion>
    </section>
  );
}

function isImage({ address }: Unit): boolean {
  return /^page\/\d+\/image\//.test(address);
}
