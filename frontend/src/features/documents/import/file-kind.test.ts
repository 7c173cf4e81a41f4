// @vitest-environment node
import { expect, it } from "vitest";
import { kindOf } from "./file-kind";

const bytes = (text: string) => new TextEncoder().encode(text);

it.each([
  ["report.docx", "PK\u0003\u0004", false, "docx"],
  ["Pay.XLSM", "PK\u0003\u0004", false, "xlsx"],
  ["without-ending", "%PDF-1.7", false, "pdf"],
  ["damaged.pdf", "nonsense", true, "pdf"],
  ["pay.csv", "a,b", true, "csv"],
  ["latin.csv", "a,\xe9", false, "csv"],
  ["log.ndjson", "{}", true, "jsonl"],
  ["notes.txt", "All is well", true, "text"],
  ["photo.png", "\x89PNG", false, "bytes"],
  ["archive.zip", "PK\u0003\u0004", true, "bytes"],
  ["csv", "a,b", true, "text"],
] as const)("%s is read as what it is", (name, head, utf8, kind) => {
  expect(kindOf(name, bytes(head), utf8)).toBe(kind);
});
