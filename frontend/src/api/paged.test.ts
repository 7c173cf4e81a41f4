import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type PageAsked, pagedQuery, pollEvery } from "./paged";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A search that finds one row for each answer, which takes so long; there are `all` of them. */
async function searched(answerMs: number, all: number, search = "ab") {
  const asked: PageAsked[] = [];
  const load = async (page: PageAsked) => {
    asked.push(page);
    vi.advanceTimersByTime(answerMs);
    return { items: [asked.length], next: asked.length < all ? `after ${asked.length}` : null };
  };
  const data = await new QueryClient().fetchInfiniteQuery(pagedQuery(["rows"], load, search));
  return { asked, page: data.pages[0], polls: pollEvery(10)({ state: { data } }) };
}

describe("a page of a search that ends before it is full", () => {
  it("goes on until it is full", async () => {
    const { asked, page } = await searched(1, 99);
    expect(page?.items).toHaveLength(50);
    expect(page?.next).toBe("after 50");
    expect(asked.slice(0, 2)).toEqual([{ limit: 50 }, { limit: 49, after: "after 1" }]);
  });

  it("goes on until there are no more rows", async () => {
    const { page, polls } = await searched(1, 3);
    expect(page).toEqual({ items: [1, 2, 3], next: null });
    expect(polls).toBe(10);
  });

  it("goes on for a second, and shows what it has found", async () => {
    const { page, polls } = await searched(300, 99);
    expect(page).toEqual({ items: [1, 2, 3, 4], next: "after 4" });
    expect(polls).toBe(false);
    expect((await searched(1500, 99)).page).toEqual({ items: [1], next: "after 1" });
  });

  it("is not expected of a list without a search", async () => {
    expect((await searched(1, 99, "")).page).toEqual({ items: [1], next: "after 1" });
  });
});
