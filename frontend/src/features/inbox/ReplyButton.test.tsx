import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
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

test("asks which of two people of one name sent it", async () => {
  const candidates = [
    { login: "anna", unit: null },
    { login: "anna2", unit: "Harbour" },
  ];
  const { asked } = fakeGateway({
    "POST /api/v1/drafts": ({ path }) =>
      path.includes("reply_to_login")
        ? refused(409, "you cannot reply to anna")
        : json({ detail: "bravo lists several people", kind: "several-senders", candidates }, 409),
  });
  renderSignedIn(<ReplyButton entry={entryOf()} />);
  await userEvent.click(screen.getByRole("button", { name: "Reply" }));
  const dialog = await screen.findByRole("dialog", { name: "To whom does the reply go?" });
  expect(within(dialog).getByRole("button", { name: "Reply" })).toHaveProperty("disabled", true);
  await userEvent.click(within(dialog).getByRole("radio", { name: /^anna2/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Reply" }));
  await within(dialog).findByText(/You cannot reply to anna/);
  expect(asked.at(-1)?.path).toContain("reply_to_login=anna2");
});

test("is not for people who cannot send", () => {
  renderSignedIn(<ReplyButton entry={entryOf()} />, somebody({ is_author: false }));
  expect(screen.queryByRole("button", { name: "Reply" })).toBeNull();
});
