import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { EditionsLine } from "./EditionsLine";
import { aDraft } from "./transfer.fixture";
import { useEditions } from "./use-editions";

const WORD = aDraft({ id: "d1", document_id: "s1", name: "memo.docx", format: "docx" });
const OTHER = aDraft({ id: "d2", document_id: "s2", name: "map.png", format: "bytes" });
const TEXT = aDraft({ id: "d3", document_id: "s3" });

function Line({ drafts }: { drafts: Parameters<typeof useEditions>[0] }) {
  return <EditionsLine editions={useEditions(drafts, true)} several={drafts.length > 1} />;
}

test("shows the size of an edition, or why there is none, and asks nothing about texts", async () => {
  fakeGateway({
    "GET /api/v1/documents/s1/redacted": () => json({ redacted_bytes: 2100, note: null }),
    "GET /api/v1/documents/s2/redacted": () =>
      json({ redacted_bytes: null, note: "it is sent without a redacted edition" }),
  });
  renderSignedIn(<Line drafts={[WORD, OTHER, TEXT]} />);
  const line = await screen.findByText(/Includes a redacted edition of “memo.docx”/);
  expect(line.textContent).toContain("(2.1 KB) for recipients who are not cleared.");
  expect(screen.getByText("“map.png”: it is sent without a redacted edition.")).toBeTruthy();
});

test("says when the answer failed, and retries", async () => {
  let turn = 0;
  fakeGateway({
    "GET /api/v1/documents/s1/redacted": () =>
      turn++ === 0 ? refused(503, "All reading processes are busy.") : json({ redacted_bytes: 2100, note: null }),
  });
  renderSignedIn(<Line drafts={[WORD]} />);
  expect(await screen.findByText("Creating the redacted edition…")).toBeTruthy();
  expect((await screen.findByRole("alert")).textContent).toContain("All reading processes are busy.");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText(/Includes a redacted edition/)).toBeTruthy();
});
