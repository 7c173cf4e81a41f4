import { expect, it } from "vitest";
import { isText, mediaTypeOf, nameOf } from "./media-types";

it("knows text by the gateway's rule", () => {
  const types = ["text/plain", "Text/HTML; charset=UTF-8", 'text/plain; charset="us-ascii"', "application/json"];
  expect(types.map(isText)).toEqual([true, true, true, true]);
  expect(["image/svg+xml", "application/ld+json", "application/xml"].map(isText)).toEqual([true, true, true]);
  expect(["text/plain; charset=latin1", "image/png", "application/pdf", ""].map(isText)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

it("gives a file a type that fits what it holds, whatever it is called", () => {
  expect(mediaTypeOf({ name: "notes.MD", type: "" }, true)).toBe("text/markdown");
  expect(mediaTypeOf({ name: "main.ts", type: "video/mp2t" }, true)).toBe("text/plain");
  expect(mediaTypeOf({ name: "style.css", type: "text/css" }, true)).toBe("text/css");
  expect(mediaTypeOf({ name: "scan.png", type: "image/png" }, false)).toBe("image/png");
  expect(mediaTypeOf({ name: "latin1.txt", type: "text/plain" }, false)).toBe("application/octet-stream");
  expect(mediaTypeOf({ name: "unknown", type: "" }, false)).toBe("application/octet-stream");
});

it("names the formats that people know", () => {
  expect(["text/markdown", "text/plain", "application/pdf", "image/png", "image/webp"].map(nameOf)).toEqual([
    "Markdown",
    "Text",
    "PDF",
    "Picture (.png)",
    undefined,
  ]);
});
