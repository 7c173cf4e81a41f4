import { useMemo, useState } from "react";
import { SpanSteps } from "@/components/reader/SpanSteps";
import { listed } from "@/features/files/model/listed-marks";
import { useMarks, useViewedFile } from "@/features/files/viewed-file";

/** How many places of a received file are classified, with buttons to the previous and the next one. */
export function FileSteps() {
  const file = useViewedFile();
  const { marks } = useMarks();
  // Cells below each other are one place, as in the author's list.
  const places = useMemo(() => listed(file.format, marks, () => null), [file, marks]);
  const [at, setAt] = useState(-1);
  const step = (by: 1 | -1) => {
    const next = at < 0 && by < 0 ? places.length - 1 : (at + by + places.length) % places.length;
    setAt(next);
    const [mark] = places[next]?.marks ?? [];
    // The focus stays on the button, for the next step.
    if (mark) file.jump(mark.address, mark.start, mark.end, false);
  };
  return <SpanSteps count={places.length} at={at} gaps={false} onStep={step} onList={null} />;
}
