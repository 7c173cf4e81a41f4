// @vitest-environment node
import { expect, it } from "vitest";
import { linkOf } from "./transfer-link";

const AT = new Date(2026, 10, 3, 12).toISOString();

it("opens the page of what was sent, and the list of what arrived that day", () => {
  expect(linkOf({ direction: "sent", transfer_id: "t1", at: AT, peer: "bravo" })).toEqual({
    to: "/sent/$id",
    params: { id: "t1" },
  });
  expect(linkOf({ direction: "received", transfer_id: "t1", at: AT, peer: "bravo" })).toEqual({
    to: "/admin/transfers",
    search: { view: "received", since: "2026-11-03", peer: "bravo" },
  });
  expect(linkOf({ direction: "received", transfer_id: "t1", at: AT })).toMatchObject({ search: { view: "received" } });
});
