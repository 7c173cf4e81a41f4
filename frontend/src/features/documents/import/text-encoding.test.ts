import { expect, it } from "vitest";
import { asUtf8 } from "./text-encoding";

const fileOf = (bytes: number[], name = "a.txt", type = "text/plain") =>
  new File([new Uint8Array(bytes)], name, { type });

async function converted(file: File) {
  const found = await asUtf8(file);
  return found && [found.encoding, await found.file.text(), found.file.name];
}

it("converts UTF-16 with a byte order mark, and Latin-1 as Windows-1252", async () => {
  expect(await converted(fileOf([0xff, 0xfe, 0x61, 0, 0xac, 0x20]))).toEqual(["UTF-16", "a€", "a.txt"]);
  expect(await converted(fileOf([0xfe, 0xff, 0, 0x61, 0x20, 0xac]))).toEqual(["UTF-16", "a€", "a.txt"]);
  expect(await converted(fileOf([0x63, 0xe9, 0x0a, 0x80], "x", ""))).toEqual(["Latin-1", "cé\n€", "x"]);
});

it("leaves what is not text as it is", async () => {
  for (const file of [
    fileOf([0x63, 0xe9, 0x00]),
    fileOf([0x63, 0xe9, 0x81]),
    fileOf([0xff, 0xfe, 0x61]),
    fileOf([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]),
    fileOf([0xff, 0xfe, 0x00, 0x00]),
    fileOf([0x63, 0xe9], "a.jpg", "image/jpeg"),
    new File(["é", new Uint8Array([...new Array(70_000).fill(0x61), 0xe9, 0x01])], "late.txt", { type: "" }),
  ]) {
    expect(await asUtf8(file)).toBeNull();
  }
});
