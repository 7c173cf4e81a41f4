// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { upload } from "@/api/upload";
import "@/test/readable-blobs";
import { distinctName, ImportList, leftOf, MOST_FILES } from "./import-list";

vi.mock("@/api/upload", () => ({ upload: vi.fn() }));

beforeEach(() => {
  vi.mocked(upload).mockReset();
});

const text = (name: string, content: BlobPart = "All is well.") => new File([content], name, { type: "text/plain" });

/** A list that has examined its files. */
async function listOf(...files: File[]) {
  const onSettled = vi.fn();
  const list = new ImportList(async () => 1000, onSettled);
  list.add(files);
  await vi.waitFor(() => expect(list.state().rows.every((row) => row.examined || list.problemOf(row))).toBe(true));
  return { list, onSettled };
}

const rowsOf = (list: ImportList) =>
  list.state().rows.map((row) => [row.name, row.reading, row.sending.is, list.problemOf(row)?.text ?? null]);

it("suggests how to import each file, and names those that cannot be imported with the reason", async () => {
  const { list } = await listOf(
    text("a.txt"),
    text("b.txt", "Gate <$S>7714<$E>"),
    text("c.txt", "One <$E> two"),
    new File([new Uint8Array([0x89, 0])], "d.bin"),
    text("e.csv", "x,y\n"),
    text("a.txt", new Uint8Array([0xe9])),
    text("f.txt", "x".repeat(1001)),
    text("g.txt", new Uint8Array(9_000_000)),
  );
  expect(rowsOf(list)).toEqual([
    ["a.txt", "literal", "no", null],
    ["b.txt", "marked", "no", null],
    ["c.txt", null, "no", "Line 1, column 5: <$E> closes a span, but none is open; remove it or add a <$S> before it."],
    ["d.bin", "whole", "no", null],
    ["e.csv", "file", "no", null],
    ["a (2).txt", "literal", "no", null],
    ["f.txt", "literal", "no", expect.stringMatching(/^The file is too large\. This document has 1 KB/)],
    ["g.txt", null, "no", expect.stringMatching(/^This document has 9 MB/)],
  ]);
  expect(list.state().rows.map((row) => list.isReady(row))).toEqual([
    ...[true, true, false, true, true, true, false, false],
  ]);
});

it("imports all that are ready, and tries those again that failed", async () => {
  const { list, onSettled } = await listOf(text("a.txt"), text("b.txt"), text("c.txt", "One <$E> two"));
  vi.mocked(upload).mockImplementation(async ({ url }) => {
    if (url.includes("b.txt")) throw new Problem(503, "The gateway is full.");
    return { id: "d" };
  });
  await list.importAll();
  expect(rowsOf(list).map(([name, , is]) => [name, is])).toEqual([
    ["a.txt", "done"],
    ["b.txt", "failed"],
    ["c.txt", "no"],
  ]);
  expect(rowsOf(list)[1]?.[3]).toBe("The file was not imported. Nothing was saved. The gateway is full.");
  expect(leftOf(list, list.state().rows)).toEqual({ failed: 1, undecided: 1, impossible: 0 });
  const [, , third] = list.state().rows;
  if (third) list.choose(third.id, "literal");
  vi.mocked(upload).mockClear().mockResolvedValue({ id: "d" });
  await list.importAll();
  expect(vi.mocked(upload).mock.calls.map(([{ url }]) => new URLSearchParams(url.split("?")[1]).get("name"))).toEqual([
    "b.txt",
    "c.txt",
  ]);
  expect(rowsOf(list).every(([, , is]) => is === "done")).toBe(true);
  expect(onSettled).toHaveBeenCalledTimes(2);
});

it("is stopped: what is left can be imported later", async () => {
  const { list } = await listOf(text("a.txt"), text("b.txt"), text("c.txt"));
  vi.mocked(upload).mockImplementation(
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  );
  const importing = list.importAll();
  await vi.waitFor(() => expect(upload).toHaveBeenCalledTimes(2));
  list.stop();
  await importing;
  expect(rowsOf(list).map(([, , is]) => is)).toEqual(["no", "no", "no"]);
  expect(list.state().rows.every((row) => list.isReady(row))).toBe(true);
});

it("lists a number of files at most, and says how many are left", () => {
  const list = new ImportList(
    () => new Promise(() => {}),
    () => {},
  );
  list.add(Array.from({ length: MOST_FILES + 2 }, (_, index) => text(`${index}.txt`)));
  expect([list.state().rows.length, list.state().notListed]).toEqual([MOST_FILES, 2]);
  list.close();
});

it("numbers names before their endings", () => {
  const taken = new Set(["plan.txt", "plan (2).txt", "readme", ".env"]);
  expect(["plan.txt", "readme", ".env", "new.txt"].map((name) => distinctName(name, taken))).toEqual([
    "plan (3).txt",
    "readme (2)",
    ".env (2)",
    "new.txt",
  ]);
});
