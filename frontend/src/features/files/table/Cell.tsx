// biome-ignore-all lint/a11y/useSemanticElements: a table of HTML cannot draw only what is in view
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell
import { t } from "@lingui/core/macro";
import { memo } from "react";
import { cx } from "@/lib/cx";
import type { CellMark } from "../model/table";

interface CellProps {
  id: string;
  row: number;
  column: number;
  left: number;
  width: number;
  /** Null: the row has no such cell. Undefined: it is on its way. */
  text: string | null | undefined;
  mark: CellMark;
  /** Of its marks; empty if they have none. */
  labels: string;
  /** A phrase or a policy found something in it. */
  found: boolean;
  /** The leak check found something in it. */
  finding: boolean;
  active: boolean;
  chosen: boolean;
}

const MOST_SHOWN = 300;
/** A narrower cell shows its text alone; its labels are in its title. */
const ROOM_PX = 150;
const SAID: Readonly<Record<Exclude<CellMark, null>, string>> = {
  cell: t`classified`,
  row: t`classified with its row`,
  column: t`classified with its column`,
  sheet: t`classified with its sheet`,
  part: t`classified in part`,
};

/** One cell. Background and border show its mark, and words for screen readers. */
export const Cell = memo(function Cell({
  id,
  row,
  column,
  left,
  width,
  text,
  mark,
  labels,
  found,
  finding,
  active,
  chosen,
}: CellProps) {
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={chosen}
      data-row={row}
      data-column={column}
      data-active={active || undefined}
      title={titleOf(text, labels)}
      className={cx(
        "file-cell",
        text === null && "file-cell-none",
        found && "file-cell-found",
        mark !== null && text !== null && (mark === "part" ? "file-cell-part" : "file-cell-marked"),
      )}
      style={{ left, width }}
    >
      {text === undefined ? (
        <span aria-hidden className="h-2.5 w-3/5 rounded-sm bg-ink/8" />
      ) : (
        <span className={cx("truncate", finding && "finding")}>{text === null ? "" : text.slice(0, MOST_SHOWN)}</span>
      )}
      {labels !== "" && text !== null && (
        <span className={width < ROOM_PX ? "sr-only" : "mark-label ml-auto truncate"}>{labels}</span>
      )}
      {finding && <span className="sr-only"> {t`(finding of the leak check)`}</span>}
      {mark !== null && text !== null && <span className="sr-only"> ({SAID[mark]})</span>}
    </div>
  );
});

function titleOf(text: string | null | undefined, labels: string): string | undefined {
  if (!text) return undefined;
  if (labels !== "") return `${text.slice(0, MOST_SHOWN)} (${labels})`;
  return text.length > 12 ? text.slice(0, MOST_SHOWN) : undefined;
}
