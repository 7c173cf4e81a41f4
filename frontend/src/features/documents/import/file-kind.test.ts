// @vitest-environment node
import { expect, it } from "vitest";
import { isDamaged, kindOf } from "./file-kind";

const bytes = (text: string) => new TextEncoder().encode(text);

it.each([
  ["report.docx", "PK\u0003\u0004", false, "docx"],
  ["memo.odt", "PK\u0003\u0004", false, "odt"],
  ["plan.pptm", "PK\u0003\u0004", false, "pptx"],
  ["Pay.XLSM", "PK\u0003\u0004", false, "xlsx"],
  ["without-ending", "%PDF-1.7", false, "pdf"],
  ["damaged.pdf", "nonsense", true, "pdf"],
  ["pay.csv", "a,b", true, "csv"],
  ["latin.csv", "a,\xe9", false, "csv"],
  ["log.ndjson", "{}", true, "jsonl"],
  ["notes.txt", "All is well", true, "text"],
  ["photo.png", "anything", false, "png"],
  ["photo.heic", "\0\0\0\x18ftyp", false, "bytes"],
  ["archive.zip", "PK\u0003\u0004", false, "zip"],
  ["archive.jar", "PK\u0003\u0004", true, "bytes"],
  ["csv", "a,b", true, "text"],
] as const)("%s is read as what it is", (name, head, utf8, kind) => {
  expect(kindOf(name, bytes(head), utf8)).toBe(kind);
});

it("knows a photograph by its bytes, whatever it is called", () => {
  expect(kindOf("photo.png", new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), false)).toBe("jpeg");
});

it("takes a whole picture for whole", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
  expect(await isDamaged(new Blob([png]), "png")).toBe(false);
  expect(await isDamaged(new Blob([png]), "jpeg")).toBe(true);
});

const END = `PK\u0005\u0006${"\0".repeat(18)}`;

it.each([
  ["docx", `PK\u0003\u0004 parts ${END}`, false],
  ["xlsx", `PK\u0003\u0004 parts ${END}a comment`, false],
  ["docx", "PK\u0003\u0004 parts", true],
  ["docx", "plain text", true],
  ["odt", "plain text", true],
  ["docx", "", true],
  ["pdf", "\n%PDF-1.7", false],
  ["pdf", "nonsense", true],
  ["png", "anything", true],
  ["tiff", "II*\0", false],
  ["csv", "a,b", false],
  ["bytes", "anything", false],
] as const)("a file of kind %s is damaged if its container is not whole: %j", async (kind, content, damaged) => {
  expect(await isDamaged(new Blob([content]), kind)).toBe(damaged);
});
