// @vitest-environment node
import { expect, it } from "vitest";
import { linkOf } from "./transfer-link";

it("opens the page of what was sent, and the one document that arrived", () => {
  expect(linkOf({ direction: "sent", transfer_id: "t1" })).toEqual({ to: "/sent/$id", params: { id: "t1" } });
  expect(linkOf({ direction: "received", transfer_id: "t2" })).toEqual({
    to: "/admin/transfers",
    search: { view: "received", transfer: "t2" },
  });
});
