import { t } from "@lingui/core/macro";
import { useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/Button";
import { TextRegion } from "../TextRegion";
import { markingOf, UnitRow } from "../UnitRow";
import { UnitsState } from "../UnitsState";
import { useUnits } from "../units-store";
import { useTextChoice } from "../use-text-choice";
import { useMarks, useViewedFile } from "../viewed-file";

/** The parts of a workbook that the grid does not show: formulas, comments, names, properties, hidden content. */
export function BesideCells() {
  const { units: store } = useViewedFile();
  const [open, setOpen] = useState(store.loaded().is !== "waiting");
  return (
    <section aria-labelledby="beside" className="flex flex-col items-start gap-2">
      <h2 id="beside" className="font-serif text-xl">{t`Outside the cells`}</h2>
      <p className="text-quiet text-sm">{t`Formulas, comments, names, properties, and hidden rows, columns and sheets. The file includes them too.`}</p>
      {open ? (
        <Hidden />
      ) : (
        <Button
          onClick={() => {
            setOpen(true);
            store.start();
          }}
        >{t`Show hidden content`}</Button>
      )}
    </section>
  );
}

function Hidden() {
  const file = useViewedFile();
  const { units, is } = useUnits(file.units);
  const { index } = useMarks();
  const root = useRef<HTMLDivElement>(null);
  const hidden = useMemo(
    () => units.filter((unit) => unit.hidden !== "" || !unit.address.startsWith("sheet/")),
    [units],
  );
  useTextChoice(root, (address) => file.units.unit(address)?.text ?? null);
  return (
    <div ref={root} className="flex w-full max-w-[52rem] flex-col gap-2">
      {hidden.length > 0 && (
        <TextRegion label={t`Text outside the cells`} className="sheet file-sheet">
          {hidden.map((unit) => (
            <UnitRow key={unit.address} unit={unit} format={file.format} {...markingOf(index, unit.address)} />
          ))}
        </TextRegion>
      )}
      <UnitsState />
      {is === "done" && hidden.length === 0 && (
        <p className="text-sm">{t`This workbook contains nothing outside its cells.`}</p>
      )}
    </div>
  );
}
