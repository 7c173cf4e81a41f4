import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { useKeptError } from "./kept-error";

/** A page, and what it cannot load. */
const PAGES = [
  ["/documents", "/api/v1/drafts"],
  ["/sent", "/api/v1/transfers"],
  ["/inbox", "/api/v1/inbox"],
  ["/inbox/e1", "/api/v1/inbox/e1"],
  ["/admin/transfers", "/api/v1/transfers"],
  ["/admin/peers", "/api/v1/peers"],
  ["/admin/audit", "/api/v1/audit"],
] as const;

test.each(PAGES)("%s keeps its error, and the focus on the button, while it tries again", async (page, path) => {
  const waiting: ((answer: Response) => void)[] = [];
  const refuseAll = () =>
    act(async () => {
      for (const answer of waiting.splice(0)) answer(refused(500, "a stored file is damaged"));
    });
  const { asked, routes } = fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true, is_author: true, is_recipient: true }))),
    "GET /api/v1/gateway": json({ name: "alpha" }),
    [`GET ${path}`]: refused(500, "a stored file is damaged"),
  });
  const times = () => asked.filter(({ path: each }) => each.split("?")[0] === path).length;
  const { client } = renderApp(page);
  await screen.findByText("A stored file is damaged.");
  const again = () => {
    const alert = screen.getByText("A stored file is damaged.").closest("[role=alert]") as HTMLElement;
    return within(alert).getByRole("button", { name: "Try again" });
  };
  const slow: Answer = () => new Promise<Response>((resolve) => waiting.push(resolve));
  routes[`GET ${path}`] = slow;

  // As a page does that polls.
  const before = times();
  act(() => void client.refetchQueries({ type: "active" }));
  await waitFor(() => expect(times()).toBeGreaterThan(before));
  again();
  expect(screen.queryByText(/^Loading/)).toBeNull();
  await refuseAll();

  const button = again();
  await userEvent.click(button);
  await waitFor(() => expect(again().getAttribute("aria-busy")).toBe("true"));
  expect(document.activeElement).toBe(button);
  await refuseAll();
  await waitFor(() => expect(again().getAttribute("aria-busy")).toBeNull());
});

test("the error of one list is not shown for another one that tries again", async () => {
  const failures: Record<string, () => Promise<never>> = {
    one: () => Promise.reject(new Error("one fails")),
    other: () => Promise.reject(new Error("the other fails")),
  };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { result, rerender } = renderHook(
    ({ list }) => useKeptError(useQuery({ queryKey: [list], queryFn: () => failures[list]?.() })),
    {
      initialProps: { list: "one" },
      wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
    },
  );
  const failed = (message: string) => waitFor(() => expect(result.current.error?.message).toBe(message));
  await failed("one fails");
  // Two failures of the same millisecond would look like one.
  await waitFor(() => expect(Date.now()).toBeGreaterThan(client.getQueryState(["one"])?.errorUpdatedAt ?? 0));
  rerender({ list: "other" });
  await failed("the other fails");
  failures.one = () => new Promise(() => {});
  rerender({ list: "one" });
  expect(result.current).toEqual({ error: null, isPending: true });
});
