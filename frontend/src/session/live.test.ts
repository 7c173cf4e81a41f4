// @vitest-environment jsdom
import { QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import type { ProgressShown } from "@/api/types";
import { newQueryClient } from "@/app/query-client";
import { applyEvent } from "./live";

const PROGRESS: ProgressShown = {
  transfer_id: "t1",
  state: "sending",
  secure_sent: 0,
  secure_total: 13,
  plain_sent: 0,
  plain_total: 31,
  verified: false,
  reason: null,
  said: null,
  next_try_at: null,
  channels: [],
};

it("loads the lists again when a try that never reached the peer gives another reason and time", () => {
  const client = newQueryClient();
  const waiting: ProgressShown = { ...PROGRESS, state: "queued", reason: "bravo does not answer" };
  applyEvent(client, { type: "transfer", data: { ...waiting, next_try_at: "2026-11-21T10:00:05Z" } });
  const again = vi.spyOn(client, "invalidateQueries");
  applyEvent(client, { type: "transfer", data: { ...waiting, next_try_at: "2026-11-21T10:00:09Z" } });
  expect(again.mock.calls.map(([filters]) => filters?.queryKey)).toEqual([["transfers"], ["drafts"], ["checks"]]);
});

it("loads the lists again when a transfer's state changes, and not at each step", () => {
  const client = newQueryClient();
  const again = vi.spyOn(client, "invalidateQueries");
  applyEvent(client, { type: "transfer", data: PROGRESS });
  expect(again.mock.calls.map(([filters]) => filters?.queryKey)).toEqual([["transfers"], ["drafts"], ["checks"]]);
  applyEvent(client, { type: "transfer", data: { ...PROGRESS, plain_sent: 20 } });
  expect(again).toHaveBeenCalledTimes(3);
  expect(client.getQueryData(["progress", "t1"])).toMatchObject({ plain_sent: 20 });
  applyEvent(client, { type: "transfer", data: { ...PROGRESS, state: "delivered" } });
  expect(again).toHaveBeenCalledTimes(6);
});

it("loads transfers again when a recipient opens a delivered document, which changes no state", () => {
  const client = newQueryClient();
  applyEvent(client, { type: "transfer", data: { ...PROGRESS, state: "delivered", verified: true } });
  const again = vi.spyOn(client, "invalidateQueries");
  applyEvent(client, { type: "transfer", data: { ...PROGRESS, state: "delivered", verified: true } });
  expect(again.mock.calls).toEqual([[{ queryKey: ["transfers"] }]]);
});

it("marks timings as out of date, and leaves it to their page when to load them", () => {
  const client = newQueryClient();
  const again = vi.spyOn(client, "invalidateQueries");
  applyEvent(client, { type: "timings", data: {} });
  expect(again.mock.calls).toEqual([[{ queryKey: ["timings"], refetchType: "none" }]]);
});

it("loads the transfer that an arrival may answer, and no lists of transfers", () => {
  const client = newQueryClient();
  const again = vi.spyOn(client, "invalidateQueries");
  applyEvent(client, { type: "inbox", data: {} });
  expect(again.mock.calls.map(([filters]) => filters?.queryKey)).toEqual([["inbox"], ["transfers", "one"]]);
});

it("loads a list again that was loading for the first time when it changed", async () => {
  const client = newQueryClient();
  const answers: ((rows: string[]) => void)[] = [];
  const inbox = new QueryObserver(client, {
    queryKey: ["inbox"],
    queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
  });
  const leave = inbox.subscribe(() => {});
  applyEvent(client, { type: "inbox", data: {} });
  answers[0]?.([]);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(["berths.txt"]);
  await vi.waitFor(() => expect(inbox.getCurrentResult().data).toEqual(["berths.txt"]));
  leave();
});
