import { act, render, screen } from "@testing-library/react";
import { Component, type ReactNode, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Problem } from "@/api/problem";
import { lazyWithPreload } from "./lazy-with-preload";

afterEach(() => vi.unstubAllGlobals());

function Counter() {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {count}
    </button>
  );
}

/** As the router has one around each page. */
class Boundary extends Component<{ children: ReactNode }> {
  override state: { error: Error | null } = { error: null };
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <>
        <p role="alert">{error.message}</p>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </>
    );
  }
}

test("code that is there by then is shown at once", async () => {
  const Page = lazyWithPreload(async () => Counter);
  await Page.load();
  render(<Page />);
  expect(screen.getByRole("button").textContent).toBe("0");
});

test("shows the fallback until the code is loaded", async () => {
  let come = () => {};
  const code = new Promise<typeof Counter>((resolve) => {
    come = () => resolve(Counter);
  });
  const Page = lazyWithPreload(
    () => code,
    () => "waiting",
  );
  const { rerender } = await act(async () => render(<Page />));
  expect(document.body.textContent).toBe("waiting");
  come();
  const button = await screen.findByRole("button");
  await act(async () => button.click());
  await Page.load();
  rerender(<Page />);
  expect(screen.getByRole("button").textContent).toBe("1");
});

test("code that could not be loaded is asked for again when it is shown", async () => {
  let tries = 0;
  const Page = lazyWithPreload(async () => {
    if (tries++ === 0) throw new Error("offline");
    return Counter;
  });
  await Page.load();
  await act(async () => render(<Page />));
  expect(await screen.findByRole("button")).toBeDefined();
});

test("while the gateway is away an error says so, and trying again asks once more", async () => {
  vi.stubGlobal("fetch", async () => new Response("<h1>nginx</h1>", { status: 502 }));
  let tries = 0;
  const Page = lazyWithPreload(async () => {
    if (tries++ < 2) throw new TypeError("Failed to fetch dynamically imported module: /assets/Page-1.js");
    return Counter;
  });
  const page = (
    <Boundary>
      <Page />
    </Boundary>
  );
  await act(async () => render(page, { onCaughtError: (error) => expect(error).toBeInstanceOf(Problem) }));
  for (const tried of [1, 2]) {
    expect((await screen.findByRole("alert")).textContent).toMatch(/^The gateway is not responding/);
    expect(tries).toBe(tried);
    await act(async () => screen.getByRole("button", { name: "Try again" }).click());
  }
  expect((await screen.findByRole("button")).textContent).toBe("0");
  expect(tries).toBe(3);
});
