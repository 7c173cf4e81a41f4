import { memo, type ReactNode } from "react";
import type { Unit } from "@/api/files";
import type { Block, Table, TableCell } from "./blocks";
import "./word.css";

const ROW_REM = 2.25;

interface WordBlocksProps {
  blocks: readonly Block[];
  /** Draws a unit. The same function as long as nothing changes. */
  draw: (unit: Unit) => ReactNode;
}

/** The text of a part of a Word document, with its tables as tables. */
export function WordBlocks({ blocks, draw }: WordBlocksProps) {
  return blocks.map((block) => <OneBlock key={block.key} block={block} draw={draw} />);
}

const OneBlock = memo(function OneBlock({ block, draw }: { block: Block; draw: WordBlocksProps["draw"] }) {
  if (block.is === "table") return <TableBlock table={block} draw={draw} />;
  return (
    <div className="word-block">
      {block.units.map((unit) => (
        <Drawn key={unit.address} unit={unit} draw={draw} />
      ))}
    </div>
  );
});

function Drawn({ unit, draw }: { unit: Unit; draw: WordBlocksProps["draw"] }) {
  return draw(unit);
}

function TableBlock({ table, draw }: { table: Table; draw: WordBlocksProps["draw"] }) {
  return (
    <div className="word-table" style={{ containIntrinsicBlockSize: `auto ${table.rows.length * ROW_REM}rem` }}>
      <table>
        <tbody>
          {table.rows.map((row, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
            <tr key={number}>
              {row.map((cell) => (
                <CellView key={cell.key} cell={cell} draw={draw} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellView({ cell, draw }: { cell: TableCell; draw: WordBlocksProps["draw"] }) {
  const { blocks, columns, rows, header } = cell;
  const spans = { ...(columns > 1 && { colSpan: columns }), ...(rows > 1 && { rowSpan: rows }) };
  if (blocks === null) return <td {...spans} className="word-gap" />;
  // An empty heading would name its column with nothing.
  if (header && blocks.length > 0) {
    return (
      <th {...spans} scope="col">
        <WordBlocks blocks={blocks} draw={draw} />
      </th>
    );
  }
  return (
    <td {...spans}>
      <WordBlocks blocks={blocks} draw={draw} />
    </td>
  );
}
