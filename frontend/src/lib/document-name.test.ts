import { expect, it } from "vitest";
import { withEnding } from "./document-name";

it("gives a new document the ending of a text, unless it has one", () => {
  expect(["Plan 3", "plan.md", "Plan v1.2 of May", "No. 5", "Ends.", ".env", "x".repeat(299)].map(withEnding)).toEqual([
    "Plan 3.txt",
    "plan.md",
    "Plan v1.2 of May.txt",
    "No. 5.txt",
    "Ends..txt",
    ".env.txt",
    "x".repeat(299),
  ]);
});
