import { expect, it } from "vitest";
import { relativeText } from "./times";

const NOW = new Date("2026-11-21T13:00:00Z");

it.each([
  ["2026-11-21T12:59:55Z", "just now"],
  ["2026-11-21T12:55:00Z", "5 minutes ago"],
  ["2026-11-21T10:00:00Z", "3 hours ago"],
  ["2026-11-20T12:00:00Z", "yesterday"],
  ["2026-11-23T13:00:00Z", "in 2 days"],
  ["2026-10-21T13:00:00Z", "last month"],
  ["2024-11-21T13:00:00Z", "2 years ago"],
])("%s is %s", (at, text) => {
  expect(relativeText(new Date(at), NOW)).toBe(text);
});
