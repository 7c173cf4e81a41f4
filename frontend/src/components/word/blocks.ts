/** The text of a Word document as it is drawn: paragraphs, and tables with their rows and columns. Pure. */
import type { Unit } from "@/api/files";

/** Paragraphs that are drawn together, or a table. */
export type Block = Paragraphs | Table;

export interface Paragraphs {
  readonly is: "paragraphs";
  readonly key: string;
  readonly units: readonly Unit[];
}

export interface Table {
  readonly is: "table";
  readonly key: string;
  readonly rows: readonly (readonly TableCell[])[];
}

/** `blocks`: what is in it; null for a place of the row in which the table has no cell. */
export interface TableCell {
  readonly key: string;
  readonly columns: number;
  readonly rows: number;
  readonly header: boolean;
  readonly blocks: readonly Block[] | null;
}

const MOST_IN_BLOCK = 50;

/** The units of a part as blocks. Paragraphs without text are left out. `depth`: how many tables are around them. */
export function blocksOf(units: readonly Unit[], depth = 0): readonly Block[] {
  const blocks: Block[] = [];
  let paragraphs: Unit[] = [];
  for (let at = 0; at < units.length; ) {
    const unit = units[at] as Unit;
    const table = tableOf(unit, depth);
    if (table !== null) {
      let end = at + 1;
      while (end < units.length && tableOf(units[end] as Unit, depth) === table) end++;
      blocks.push({ is: "table", key: unit.address, rows: rowsOf(units.slice(at, end), depth) });
      paragraphs = [];
      at = end;
      continue;
    }
    at++;
    if (unit.text === "" && depth + unit.cells.length > 0) continue;
    if (paragraphs.length === 0 || paragraphs.length === MOST_IN_BLOCK) {
      paragraphs = [];
      blocks.push({ is: "paragraphs", key: unit.address, units: paragraphs });
    }
    paragraphs.push(unit);
  }
  return blocks;
}

function tableOf(unit: Unit, depth: number): number | null {
  return unit.cells[depth]?.table ?? null;
}

interface Gathered {
  readonly row: number;
  readonly column: number;
  readonly columns: number;
  readonly header: boolean;
  rows: number;
  readonly units: Unit[];
}

function rowsOf(units: readonly Unit[], depth: number): readonly (readonly TableCell[])[] {
  const cells = new Map<string, Gathered>();
  for (const unit of units) {
    const cell = unit.cells[depth];
    if (!cell) continue;
    const key = `${cell.row} ${cell.column}`;
    const known = cells.get(key);
    if (known) known.units.push(unit);
    else cells.set(key, { ...cell, units: [unit] });
  }
  const rows: Gathered[][] = [];
  let width = 0;
  for (const cell of cells.values()) {
    // Rows whose cells all continue cells above are rows, too.
    while (rows.length < cell.row + cell.rows) rows.push([]);
    rows[cell.row]?.push(cell);
    width = Math.max(width, cell.column + cell.columns);
  }
  /** For each column, the first row that a cell from above does not cover. */
  const free: number[] = [];
  return rows.map((row, number) => {
    const drawn: TableCell[] = [];
    let column = 0;
    const skipTo = (end: number) => {
      let gap = 0;
      const close = () => {
        if (gap > 0) drawn.push({ key: `gap ${column}`, columns: gap, rows: 1, header: false, blocks: null });
        gap = 0;
      };
      for (; column < end; column++) {
        if ((free[column] ?? 0) > number) close();
        else gap++;
      }
      close();
    };
    for (const cell of row.toSorted((one, other) => one.column - other.column)) {
      skipTo(cell.column);
      drawn.push({
        key: `${cell.column}`,
        columns: cell.columns,
        rows: cell.rows,
        header: cell.header,
        blocks: blocksOf(cell.units, depth + 1),
      });
      for (const end = cell.column + cell.columns; column < end; column++) free[column] = number + cell.rows;
    }
    skipTo(width);
    return drawn;
  });
}
