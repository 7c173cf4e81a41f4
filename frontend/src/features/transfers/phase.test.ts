import { expect, it } from "vitest";
import { phaseOf, progressOf, withLatest } from "./phase";
import { aProgress, aTransfer } from "./transfer.fixture";

const sending = aTransfer({ state: "sending" });

it.each([
  ["waiting", aTransfer(), null],
  ["waiting", aTransfer(), aProgress()],
  ["reaching", sending, null],
  ["reaching", sending, aProgress({ state: "queued" })],
  ["sending", sending, aProgress()],
  ["verified", sending, aProgress({ verified: true })],
  ["delivered", aTransfer({ state: "delivered" }), aProgress()],
  ["failed", aTransfer({ state: "failed" }), aProgress({ state: "sending" })],
] as const)("is %s", (phase, transfer, progress) => {
  expect(phaseOf(transfer, progress)).toBe(phase);
});

it("takes only the end of a transfer from events", () => {
  const failed = aProgress({ state: "failed", reason: "nobody named rosa can receive at bravo" });
  expect(withLatest(sending, failed)).toMatchObject({ state: "failed", reason: failed.reason });
  expect(withLatest(sending, aProgress({ state: "queued" }))).toBe(sending);
  // It was tried again since: the event is of the try before.
  const again = aTransfer({ state: "queued" });
  expect(withLatest(again, failed)).toBe(again);
});

it("has no progress before an event with bytes", () => {
  expect(progressOf(sending, aProgress({ secure_total: 0, plain_total: 0 }))).toBeNull();
  expect(progressOf(aTransfer(), aProgress())).toBeNull();
});
