import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { entryOf } from "@/features/inbox/entry.fixture";
import {
  chooseNotifications,
  notificationChoice,
  notificationPermission,
  notify,
} from "@/session/browser-notifications";
import { arrivals } from "./use-arrivals";

const shown: { title: string; body: string | undefined }[] = [];
let held: { name: string }[] = [];

class FakeNotification {
  static permission: NotificationPermission = "default";
  static answer: NotificationPermission = "granted";
  static async requestPermission() {
    FakeNotification.permission = FakeNotification.answer;
    return FakeNotification.permission;
  }
  onclick: (() => void) | null = null;
  constructor(title: string, options?: NotificationOptions) {
    shown.push({ title, body: options?.body });
  }
  close() {}
}

beforeEach(() => {
  shown.length = 0;
  held = [];
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  FakeNotification.permission = "default";
  FakeNotification.answer = "granted";
  vi.stubGlobal("Notification", FakeNotification);
  vi.stubGlobal("navigator", { locks: { query: async () => ({ held }) } });
});

afterEach(() => vi.unstubAllGlobals());

test("nothing is shown unless the person asked for it, and a document's name only on request", async () => {
  await notify("ada", [entryOf()], () => {});
  expect(shown).toEqual([]);
  expect(await chooseNotifications("ada", "sender")).toBe("granted");
  await notify("ada", [entryOf()], () => {});
  await notify("bob", [entryOf()], () => {});
  expect(shown).toEqual([{ title: "New document", body: "From anna at bravo" }]);
  await chooseNotifications("ada", "name");
  await notify("ada", [entryOf(), entryOf({ name: "other.txt" })], () => {});
  expect(shown[1]).toEqual({
    title: "2 new documents",
    body: "memo.txt\nFrom anna at bravo\nother.txt\nFrom anna at bravo",
  });
  await chooseNotifications("ada", "off");
  await notify("ada", [entryOf()], () => {});
  expect(shown).toHaveLength(2);
});

test("a visible tab of the same person keeps notifications away", async () => {
  await chooseNotifications("ada", "sender");
  held = [{ name: "sieve-visible-bob" }];
  await notify("ada", [entryOf()], () => {});
  held = [{ name: "sieve-visible-ada" }];
  await notify("ada", [entryOf()], () => {});
  expect(shown).toHaveLength(1);
});

test("a denied permission stores nothing", async () => {
  FakeNotification.answer = "denied";
  expect(await chooseNotifications("ada", "sender")).toBe("denied");
  expect(notificationChoice("ada")).toBe("off");
  vi.stubGlobal("Notification", undefined);
  expect(notificationPermission()).toBe("unsupported");
});

test("only unread entries that came later are arrivals, not restored ones", () => {
  const at = (id: string, received_at: string, read_at: string | null = null) => entryOf({ id, received_at, read_at });
  const known = [at("b", "2026-11-20T11:00:00Z"), at("a", "2026-11-20T10:00:00Z")];
  const latest = [
    at("d", "2026-11-20T12:00:00Z"),
    at("read", "2026-11-20T12:00:00Z", "2026-11-20T12:01:00Z"),
    at("same-instant", "2026-11-20T11:00:00Z"),
    ...known,
    at("restored", "2026-11-20T09:00:00Z"),
  ];
  expect(arrivals(known, latest).map(({ id }) => id)).toEqual(["d", "same-instant"]);
  expect(arrivals([], latest.slice(0, 1)).map(({ id }) => id)).toEqual(["d"]);
});
