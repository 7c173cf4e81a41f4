import { t } from "@lingui/core/macro";
import { type ReactNode, useState } from "react";
import { type Segment, SegmentedControl } from "@/components/ui/SegmentedControl";

type Shown = "table" | "text";

const VIEWS: readonly Segment<Shown>[] = [
  { value: "table", label: t`Table` },
  { value: "text", label: t`Text` },
];

/** A table, with a switch to the text of its file. */
export function TableOrText({ table, text }: { table: ReactNode; text: ReactNode }) {
  const [shown, show] = useState<Shown>("table");
  return (
    <div className="flex flex-col gap-2">
      <SegmentedControl
        label={t`View of the table`}
        value={shown}
        onValueChange={show}
        segments={VIEWS}
        className="self-start print:hidden"
      />
      {shown === "text" ? text : table}
    </div>
  );
}
