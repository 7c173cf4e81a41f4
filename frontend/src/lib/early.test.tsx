import { act, render, screen } from "@testing-library/react";
import { Suspense, useState } from "react";
import { expect, test } from "vitest";
import { early } from "./early";

function Counter() {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {count}
    </button>
  );
}

const shown = (Page: ReturnType<typeof early>) => (
  <Suspense fallback="waiting">
    <Page />
  </Suspense>
);

test("code that is there by then is shown at once", async () => {
  const Page = early(async () => Counter);
  await Page.load();
  render(shown(Page));
  expect(screen.getByRole("button").textContent).toBe("0");
});

test("code that comes later is waited for, and then goes on as it is", async () => {
  const Page = early(async () => Counter);
  const { rerender } = await act(async () => render(shown(Page)));
  const button = await screen.findByRole("button");
  await act(async () => button.click());
  await Page.load();
  rerender(shown(Page));
  expect(screen.getByRole("button").textContent).toBe("1");
});

test("code that could not be loaded is asked for again when it is shown", async () => {
  let tries = 0;
  const Page = early(async () => {
    if (tries++ === 0) throw new Error("offline");
    return Counter;
  });
  await Page.load();
  await act(async () => render(shown(Page)));
  expect(await screen.findByRole("button")).toBeDefined();
});
