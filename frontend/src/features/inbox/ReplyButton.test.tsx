import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeGateway, refused } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { entryOf } from "./entry.fixture";
import { ReplyButton } from "./ReplyButton";

test("asks for a reply to this document, and says why there can be none", async () => {
  const { asked } = fakeGateway({
    "POST /api/v1/drafts": () => refused(409, "You cannot reply to Anna: bravo does not list them any more."),
  });
  renderSignedIn(<ReplyButton entry={entryOf({ name: "memo.docx" })} />);
  await userEvent.click(screen.getByRole("button", { name: "Reply" }));
  await screen.findByText(/You cannot reply to Anna: bravo does not list them any more/);
  const query = asked.map(({ path }) => new URLSearchParams(path.split("?")[1]));
  expect(query.map((each) => [each.get("name"), each.get("in_reply_to")])).toEqual([["Re: memo.txt", "e1"]]);
});

test("is not for people who cannot send", () => {
  renderSignedIn(<ReplyButton entry={entryOf()} />, somebody({ is_author: false }));
  expect(screen.queryByRole("button", { name: "Reply" })).toBeNull();
});
