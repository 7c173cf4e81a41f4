import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Experiment, LaboratoryShown } from "@/api/laboratory";
import "@/test/canvas";
import { fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const root = somebody({ name: "root", is_admin: true, is_author: false, is_recipient: false });

const nothing: Omit<Experiment, "name"> = {
  state: "not-run",
  started_at: null,
  took_s: null,
  reason: null,
  batching: null,
  batch_rsa: null,
  tls_split: null,
};
const done = { ...nothing, state: "done", started_at: "2026-05-01T10:00:00Z", took_s: 61 } as const;

const speedup = { bits: 2048, plain_ms: 3.6, batch_ms: 4.2, formula: 3.82, printed: 3.82, printed_real: 3.8 };
const batchRsa: Experiment = {
  ...done,
  name: "batch-rsa",
  batch_rsa: {
    speedups: [
      { ...speedup, batch: 6, form: "no crt", speedup: 5.15 },
      { ...speedup, batch: 6, form: "crt", speedup: 3.67 },
      { ...speedup, batch: 6, form: "safe", speedup: 3.83 },
    ],
    sizes: [{ rate_per_s: 10, bits: 1024, printed: 8, ours: 4 }],
    today: [{ name: "ecdhe-ecdsa", ms: 0.088 }],
  },
};
const overhead = { through_handler_ci95: 2.5, direct_ci95: 1.5 };
const tlsSplit: Experiment = {
  ...done,
  name: "tls-split",
  tls_split: {
    clients: [100],
    overheads: [
      { ...overhead, duration: "initiation", size_kb: 200, printed: 42.9, through_handler: 32.3, direct: 21.2 },
      { ...overhead, duration: "resumption", size_kb: 2, printed: 7.5, through_handler: 41.4, direct: 22.4 },
      { ...overhead, duration: "resumption", size_kb: 200, printed: 120.7, through_handler: 30.4, direct: -1.2 },
      { ...overhead, duration: "processor", size_kb: 200, printed: null, through_handler: 50, direct: 18.6 },
    ],
  },
};

async function shown(experiment: Experiment, title: string) {
  const laboratory: LaboratoryShown = { experiments: [experiment, { ...nothing, name: "batching" }] };
  fakeGateway({
    "GET /api/v1/session": json({ ...sessionOf(root), laboratory: true }),
    "GET /api/v1/laboratory": json(laboratory),
  });
  renderApp("/admin/laboratory");
  const region = within(await screen.findByRole("region", { name: title }));
  const table = async () => userEvent.click(region.getByRole("button", { name: `Table: ${title}` }));
  return { region, table };
}

function cellsOf(row: HTMLElement): (string | null)[] {
  return within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
}

test("what batch RSA found is drawn, and all of its numbers are in tables", async () => {
  const { region, table } = await shown(batchRsa, "Batch RSA");
  expect(await region.findByRole("img", { name: /How much less time a batch takes/ })).toBeTruthy();
  expect(await region.findByRole("img", { name: /The optimal batch size/ })).toBeTruthy();
  expect(region.getByText("Measured here, without CRT")).toBeTruthy();
  await table();
  expect(cellsOf(region.getByRole("row", { name: /2048 bits, 6 together/ }))).toEqual([
    "3.82",
    "3.80",
    "5.15",
    "3.67",
    "3.83",
  ]);
  expect(cellsOf(region.getByRole("row", { name: /10 a second, 1024 bits/ }))).toEqual(["8", "4"]);
  expect(region.getByRole("row", { name: /ECDHE with ECDSA/ })).toBeTruthy();
});

test("what TLS in several processes costs is drawn beside the thesis, and all of its numbers are in a table", async () => {
  const { region, table } = await shown(tlsSplit, "TLS in several processes");
  expect(region.getByText(/with 100 clients at a time/)).toBeTruthy();
  expect(await region.findAllByRole("img", { name: /percent more than in one process/ })).toHaveLength(3);
  expect(region.getAllByText("Through the handler, in the thesis")).toHaveLength(2);
  await table();
  expect(cellsOf(region.getByRole("row", { name: /Session resumption, 200 KB/ }))).toEqual([
    "+120.7",
    "+30.4 ± 2.5",
    "−1.2 ± 1.5",
  ]);
  expect(cellsOf(region.getByRole("row", { name: /Processor time of the servers, 200 KB/ }))[0]).toBe("–");
});
