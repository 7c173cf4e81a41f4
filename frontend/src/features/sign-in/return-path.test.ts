// @vitest-environment jsdom
import { expect, it } from "vitest";
import { returnPath } from "./return-path";

it.each([
  [undefined, "/"],
  ["", "/"],
  ["/documents/d1", "/documents/d1"],
  ["/sent?state=failed", "/sent?state=failed"],
  ["https://elsewhere.example/inbox", "/"],
  ["//elsewhere.example", "/"],
  ["/\\elsewhere.example", "/"],
  [`${window.location.origin}//elsewhere.example`, "/"],
  ["javascript:alert(1)", "/"],
  ["http://", "/"],
  ["/sign-in?to=%2Fsign-in", "/"],
  ["/welcome#code", "/"],
])("%s leads to %s", (asked, path) => {
  expect(returnPath(asked)).toBe(path);
});
