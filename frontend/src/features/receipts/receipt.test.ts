import { expect, it } from "vitest";
import { aReceipt } from "@/features/transfers/transfer.fixture";
import { readReceipt } from "./receipt";

it("reads the fields to show", () => {
  expect(readReceipt(aReceipt())).toMatchObject({
    receiver: "bravo",
    plainDigest: "dd".repeat(32),
    key: "ee".repeat(32),
    receivedAt: new Date(1795255200123),
  });
});

it.each(["", "not JSON", "{}", '{"receipt": null}', aReceipt({ v: 2 }), aReceipt({ size: "many" })])(
  "shows nothing of %s",
  (text) => {
    expect(readReceipt(text)).toBeNull();
  },
);
