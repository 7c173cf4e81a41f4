import { expect, test } from "vitest";
import { replyName } from "./reply-name";

test("a reply is a text named after what it answers", () => {
  expect(replyName("Harbour plan.docx")).toBe("Re: Harbour plan.txt");
  expect(replyName("Re: re: plan.v2.txt")).toBe("Re: plan.v2.txt");
  expect(replyName("notes")).toBe("Re: notes.txt");
  expect(replyName(".env")).toBe("Re: document.txt");
});
