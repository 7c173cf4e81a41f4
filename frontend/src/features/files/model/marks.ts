/**
 * The marks of a file. Pure.
 *
 * Invariant: marking never removes a mark, and unmarking a place keeps the marks beside it. Marks with the same address,
 * label, rule and reason that overlap or touch are one mark.
 */
import type { Mark } from "@/api/files";
import { compareAddresses } from "@/lib/address-order";

/** Code points of the unit at `address`, `end` exclusive; everything at or below the address if both are null. */
export interface Place {
  readonly address: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export function whole(address: string): Place {
  return { address, start: null, end: null };
}

export function isWhole({ start, end }: Place): boolean {
  return start === null || end === null;
}

/** The marks, each once, in the order of their addresses: the same set is the same list. */
export function canonical(marks: Iterable<Mark>): readonly Mark[] {
  const groups = new Map<string, Mark[]>();
  for (const { address, start, end, label, rule, reason } of marks) {
    const key = JSON.stringify([address, label, rule, reason]);
    const group = groups.get(key);
    const mark = { address, start, end, label, rule, reason };
    if (group) group.push(mark);
    else groups.set(key, [mark]);
  }
  return [...groups.values()].flatMap(merged).sort(inOrder);
}

/** The marks and these places. */
export function marked(marks: readonly Mark[], places: Iterable<Place>): readonly Mark[] {
  const added: Mark[] = [];
  for (const { address, start, end } of places) {
    if (start !== null && end !== null && start >= end) continue;
    added.push({ address, start, end, label: "", rule: "", reason: "" });
  }
  return added.length === 0 ? marks : canonical([...marks, ...added]);
}

/**
 * The marks without these places. The rest of a unit that is marked whole stays marked: `lengthOf` returns the number of
 * its code points. A place that a larger mark covers stays marked.
 */
export function unmarked(
  marks: readonly Mark[],
  places: Iterable<Place>,
  lengthOf: (address: string) => number | null = () => null,
): readonly Mark[] {
  const wanted = new Map<string, Place[]>();
  for (const place of places) {
    const there = wanted.get(place.address);
    if (there) there.push(place);
    else wanted.set(place.address, [place]);
  }
  const left = marks.flatMap((mark) => {
    const holes = wanted.get(mark.address);
    if (!holes) return [mark];
    return holes.reduce((kept, hole) => kept.flatMap((one) => without(one, hole, lengthOf)), [mark]);
  });
  return canonical(left);
}

/** All marks of both. */
export function united(one: readonly Mark[], other: readonly Mark[]): readonly Mark[] {
  return canonical([...one, ...other]);
}

function without(mark: Mark, hole: Place, lengthOf: (address: string) => number | null): Mark[] {
  if (hole.start === null || hole.end === null) return [];
  let { start, end } = mark;
  if (start === null || end === null) {
    const length = lengthOf(mark.address);
    if (length === null) return [mark];
    [start, end] = [0, length];
  }
  if (hole.end <= start || end <= hole.start) return [mark];
  const parts: Mark[] = [];
  if (start < hole.start) parts.push({ ...mark, start, end: hole.start });
  if (hole.end < end) parts.push({ ...mark, start: hole.end, end });
  return parts;
}

function merged(group: Mark[]): Mark[] {
  const [first] = group;
  if (!first || group.length === 1) return group;
  if (group.some(isWhole)) return [{ ...first, start: null, end: null }];
  const sorted = group.toSorted((one, other) => (one.start ?? 0) - (other.start ?? 0));
  const out: Mark[] = [];
  for (const mark of sorted) {
    const last = out.at(-1);
    if (last && (mark.start ?? 0) <= (last.end ?? 0)) {
      out[out.length - 1] = { ...last, end: Math.max(last.end ?? 0, mark.end ?? 0) };
    } else out.push(mark);
  }
  return out;
}

function inOrder(one: Mark, other: Mark): number {
  return (
    compareAddresses(one.address, other.address) ||
    (one.address < other.address ? -1 : one.address > other.address ? 1 : 0) ||
    (one.start ?? -1) - (other.start ?? -1) ||
    (one.end ?? -1) - (other.end ?? -1) ||
    compareAddresses(`${one.rule} ${one.label} ${one.reason}`, `${other.rule} ${other.label} ${other.reason}`)
  );
}

/** The marks by address. */
export class MarkIndex {
  readonly #whole = new Set<string>();
  readonly #ranges = new Map<string, Range[]>();
  /** The number of marks at or below an address. */
  readonly #below = new Map<string, number>();
  readonly #labelled = new Map<string, Mark[]>();

  constructor(marks: readonly Mark[]) {
    for (const mark of marks) {
      const { address, start, end } = mark;
      if (start === null || end === null) this.#whole.add(address);
      else {
        const ranges = this.#ranges.get(address);
        if (ranges) ranges.push({ start, end });
        else this.#ranges.set(address, [{ start, end }]);
      }
      if (mark.label !== "") {
        const labelled = this.#labelled.get(address);
        if (labelled) labelled.push(mark);
        else this.#labelled.set(address, [mark]);
      }
      for (const above of [address, ...ancestors(address)]) this.#below.set(above, (this.#below.get(above) ?? 0) + 1);
    }
  }

  /** Whether exactly this address is marked whole. */
  isWhole(address: string): boolean {
    return this.#whole.has(address);
  }

  /** The address at or above this one that is marked whole; null if none is. */
  covering(address: string): string | null {
    if (this.#whole.has(address)) return address;
    for (const above of ancestors(address)) if (this.#whole.has(above)) return above;
    return null;
  }

  /** The column that contains the cell at this address, if that is marked whole; null otherwise. */
  columnOver(address: string): string | null {
    const [, name] = /^row\/[1-9]\d*\/([\s\S]*)$/.exec(address) ?? [];
    return name !== undefined && this.#whole.has(`column/${name}`) ? `column/${name}` : null;
  }

  /** The marked code points at exactly this address, in order, without overlaps. */
  ranges(address: string): readonly Range[] {
    const found = this.#ranges.get(address);
    if (!found) return [];
    const out: Range[] = [];
    for (const range of found.toSorted((one, other) => one.start - other.start)) {
      const last = out.at(-1);
      if (last && range.start <= last.end)
        out[out.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
      else out.push(range);
    }
    return out;
  }

  /** The number of marks at this address or below it. */
  count(address: string): number {
    return this.#below.get(address) ?? 0;
  }

  /** The labels of the marks that cover any of these code points, or anything of the unit, each once; empty if none. */
  labels(address: string, range: Range | null = null): string {
    const column = this.columnOver(address);
    const above = [...ancestors(address), ...(column === null ? [] : [column])];
    const covering = above.flatMap((at) => this.#labelled.get(at) ?? []).filter(isWhole);
    const here = (this.#labelled.get(address) ?? []).filter(
      ({ start, end }) => range === null || start === null || end === null || (start < range.end && range.start < end),
    );
    return listOf([...here, ...covering]);
  }

  /** The labels of all marks at this address or below it, each once; empty if there are none. */
  labelsBelow(address: string): string {
    const below = [...this.#labelled].filter(([at]) => at === address || at.startsWith(`${address}/`));
    return listOf(below.flatMap(([, marks]) => marks));
  }
}

function listOf(marks: readonly Mark[]): string {
  return labelNames(marks).join(", ");
}

/** The labels of these marks, each once. */
export function labelNames(marks: readonly Mark[]): readonly string[] {
  return [...new Set(marks.map(({ label }) => label))].filter((label) => label !== "");
}

/** The addresses above this one, the nearest first. The name of a table's column may contain slashes. */
export function ancestors(address: string): string[] {
  if (address.startsWith("column/")) return [];
  const cell = /^(row\/\d+)\//.exec(address);
  if (cell?.[1]) return [cell[1], "row"];
  const found: string[] = [];
  for (let at = address.lastIndexOf("/"); at > 0; at = address.lastIndexOf("/", at - 1))
    found.push(address.slice(0, at));
  return found;
}
