import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderSignedIn } from "@/test/render";
import { type Cover, CoverFields, coverFault, NO_COVER } from "./CoverFields";

function Fields({ first = NO_COVER }: { first?: Cover }) {
  const [cover, setCover] = useState(first);
  return <CoverFields cover={cover} onCover={setCover} error={coverFault(cover, [])} />;
}

test("says who reads the note, and sums up what was chosen", async () => {
  renderSignedIn(<Fields />);
  const title = screen.getByRole("button", { name: /^Note and read receipts/ });
  expect(title.textContent).toContain("None");
  await userEvent.click(title);
  const note = screen.getByRole("textbox", { name: "Note", description: /Every recipient reads this note/ });
  await userEvent.type(note, " Call me. ");
  await userEvent.click(screen.getByRole("checkbox", { name: /^Tell me when recipients open it/ }));
  await userEvent.click(title);
  expect(title.textContent).toContain("Read receipts requested, “Call me.”");
});

test("counts characters as the gateway does, and shows a note that is too long", () => {
  const { unmount } = renderSignedIn(<Fields first={{ note: "🚢".repeat(1999), readReceipts: false }} />);
  expect(screen.queryByText(/too long/)).toBeNull();
  unmount();
  renderSignedIn(<Fields first={{ note: "🚢".repeat(2001), readReceipts: false }} />);
  expect(screen.getByRole("textbox", { name: "Note" })).toBeTruthy();
  expect(screen.getByText("The note is 1 character too long.")).toBeTruthy();
});

test("names the gateways that take no notes, if there is something to take", () => {
  const note = { note: "Call me.", readReceipts: false };
  expect(coverFault(note, [])).toBeNull();
  expect(coverFault({ note: " \n", readReceipts: false }, ["bravo"])).toBeNull();
  expect(coverFault(note, ["bravo"])).toMatch(/^bravo runs an older version/);
  expect(coverFault({ note: "", readReceipts: true }, ["bravo", "charlie"])).toMatch(/^bravo and charlie run older/);
});
