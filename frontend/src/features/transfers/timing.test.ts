import { expect, it } from "vitest";
import { segmentsOf, wasMeasured } from "./timing";
import { aTransfer, TIMINGS } from "./transfer.fixture";

const delivered = aTransfer({ state: "delivered", timings: TIMINGS });

it("adds up to the total: nothing that overlaps is among the phases", () => {
  const sum = segmentsOf(delivered).reduce((all, { ms }) => all + ms, 0);
  expect(sum).toBe(TIMINGS.total);
});

it("counts no sieving where everything went over the secure channel, as the response does not", () => {
  const ids = segmentsOf({ ...delivered, mode: "secure-only" }).map(({ id }) => id);
  expect(ids).toEqual(["establishment", "split", "data_transfer", "combine"]);
});

it.each([
  ["both", delivered],
  ["secure", { ...delivered, mode: "secure-only" }],
  ["secure", { ...delivered, plain_bytes: 0 }],
  ["plain", { ...delivered, classified_bytes: 0 }],
])("draws the data transfer in the hand of the channels that it took: %s", (kind, transfer) => {
  expect(segmentsOf(transfer).find(({ id }) => id === "data_transfer")?.kind).toBe(kind);
});

it("recognises timings without a measured data transfer", () => {
  expect(wasMeasured(delivered)).toBe(true);
  expect(wasMeasured({ timings: { ...TIMINGS, data_transfer: 0 } })).toBe(false);
  expect(segmentsOf(aTransfer())).toEqual([]);
});
