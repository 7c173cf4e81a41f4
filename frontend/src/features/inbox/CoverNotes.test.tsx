import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderSignedIn } from "@/test/render";
import { CoverNotes } from "./CoverNotes";
import { entryOf } from "./entry.fixture";

test("shows the note, who else received it, what it answers, and that opening is reported", () => {
  const others = [
    { name: "Rosa", gateway: null },
    { name: "Ida", gateway: "charlie" },
  ];
  const came = { note: "Call me.", other_recipients: others, other_recipients_left_out: 1, read_receipts: true };
  renderSignedIn(<CoverNotes entry={entryOf({ ...came, in_reply_to: { id: "t9", name: "plan.txt" } })} />);
  expect(screen.getByRole("heading", { name: "Note from anna" })).toBeTruthy();
  expect(screen.getByText("Call me.")).toBeTruthy();
  expect(screen.getByText("Also sent to Rosa, Ida at charlie and 1 other person")).toBeTruthy();
  expect(screen.getByRole("link", { name: "plan.txt" }).getAttribute("href")).toBe("/sent/t9");
  expect(screen.getByText("anna asked to be told when you open this document.")).toBeTruthy();
});

test("names a deleted document without a link, and says when the reader opened this one", () => {
  const opened = { read_receipts: true, opened_at: "2026-11-20T11:00:00Z" };
  renderSignedIn(<CoverNotes entry={entryOf({ ...opened, in_reply_to: { id: null, name: "plan.txt" } })} />);
  expect(screen.getByText("In reply to plan.txt")).toBeTruthy();
  expect(screen.queryByRole("link")).toBeNull();
  expect(screen.getByText(/You opened it on \d+/)).toBeTruthy();
});

test("shows nothing if nothing came with the document", () => {
  renderSignedIn(<CoverNotes entry={entryOf()} />);
  expect(screen.queryByRole("region", { name: "From the sender" })).toBeNull();
});
