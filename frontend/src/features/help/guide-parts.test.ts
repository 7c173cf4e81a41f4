import { expect, test } from "vitest";
import guide from "../../../../docs/guide.md?raw";
import { guideParts } from "./guide-parts";

test("the guide is cut at its headings, without pictures, and nothing of a part is lost", () => {
  const cut = guideParts(
    "# Guide\n\n- contents\n\n## One\n\na\n\n![b](pictures/b.png)\n\n### Deeper\n\nc\n\n## Two\n\nd\n",
  );
  expect(cut).toEqual([
    { title: "One", text: "## One\n\na\n\n### Deeper\n\nc\n\n" },
    { title: "Two", text: "## Two\n\nd\n" },
  ]);
  expect(guideParts(guide).map(({ title }) => title)).toContain("Marking");
});
