// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import type { DocumentChecked } from "@/api/findings";
import { Problem } from "@/api/problem";
import { FindingsPanel } from "./FindingsPanel";
import { LeakCheck } from "./leak-check";
import type { Surface } from "./surface";

const NONE: DocumentChecked = {
  ...{ revision: null, count: 0, kinds: {}, digest: "", more: false, rule: "confirm", suggestions: [], findings: [] },
};

test.each([null, "The gateway checks for leaks when you pause."])(
  "a failed check is shown in place of the last answer, with a way to retry (hint: %s)",
  async (hint) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let version = 0;
    const listeners = new Set<() => void>();
    const surface: Surface<number> = {
      order: () => 0,
      states: () => [],
      mark: () => {},
      unmark: () => {},
      select: () => {},
      highlight: () => {},
      underline: () => {},
      reveal: () => () => {},
      track: () => ({ ready: async () => {}, place: () => null, isSameText: () => true, end: () => {} }),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    let check = async () => NONE;
    const leaks = new LeakCheck(surface, {
      ask: async () => ({ checked: await check(), tracker: surface.track() }),
      version: () => version,
      onVersion: surface.onChange,
      byItself: true,
      pauseMs: 100,
    });
    onTestFinished(leaks.start());
    onTestFinished(cleanup);
    render(<FindingsPanel surface={surface} leaks={leaks} onJump={() => {}} hint={hint} />);
    const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    await wait(100);
    expect(screen.getByText("No leaks found.")).toBeTruthy();

    check = () => Promise.reject(new Problem(429, "Too many requests."));
    version++;
    act(() => {
      for (const listener of listeners) listener();
    });
    await wait(100);
    expect(screen.getByRole("alert").textContent).toContain("The leak check could not run.Too many requests.");
    expect(screen.queryByText(/^No /)).toBeNull();

    check = async () => NONE;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await wait(0);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByText("No leaks found.")).toBeTruthy();
  },
);

/** The panel over one answer of the gateway, and the places that were marked in it. */
async function showing(answer: Partial<DocumentChecked>) {
  const marked: number[] = [];
  const surface: Surface<number> = {
    order: () => 0,
    states: (places) => places.map((place) => (marked.includes(place) ? "marked" : "plain")),
    mark: (places) => marked.push(...places),
    unmark: () => {},
    select: () => {},
    highlight: () => {},
    underline: () => {},
    reveal: () => () => {},
    track: () => ({ ready: async () => {}, place: ({ start }) => start, isSameText: () => true, end: () => {} }),
    onChange: () => () => {},
  };
  const leaks = new LeakCheck(surface, {
    ask: async () => ({ checked: { ...NONE, ...answer }, tracker: surface.track() }),
    version: () => 1,
    onVersion: () => () => {},
    byItself: false,
    pauseMs: 100,
  });
  onTestFinished(leaks.start());
  onTestFinished(cleanup);
  const panel = <FindingsPanel surface={surface} leaks={leaks} onJump={() => {}} hint={null} />;
  let { unmount } = render(panel);
  await act(async () => leaks.now());
  const again = () => {
    unmount();
    ({ unmount } = render(panel));
  };
  return { marked, leaks, again };
}

test("suggestions are below the findings, can be marked, and need no reason", async () => {
  const suggestion = {
    ...{ id: "1", kind: "suggestion", group: "ship", says: "“the ship” may refer to the marked “Aurora”" },
    ...{ address: "text", start: 7, end: 15, excerpt: "when the ship left", travels_plain: true },
  };
  const { marked } = await showing({ suggestions: [suggestion] });
  expect(await screen.findByText("No leaks found.")).toBeTruthy();
  expect(screen.getByText(suggestion.says, { exact: false, selector: "span.line-clamp-4" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Leave/, hidden: true })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: /^Mark/, hidden: true }));
  expect(marked).toEqual([7]);
});

test("all findings are left with one reason, and can be shown again", async () => {
  const finding = (id: string, group: string, start: number) => ({
    ...{ id, kind: "marked-elsewhere", group, says: `“${group}” is marked elsewhere` },
    ...{ address: "text", start, end: start + 4, excerpt: group, travels_plain: true },
  });
  const findings = [finding("1", "Aurora", 3), finding("2", "Reed", 20), finding("3", "Reed", 40)];
  const { marked, again } = await showing({ findings, count: 3 });
  fireEvent.click(await screen.findByRole("button", { name: "Leave all" }));
  const why = screen.getByRole("textbox", { name: "Why the 3 findings can stay plain" });
  expect(document.activeElement).toBe(why);
  fireEvent.change(why, { target: { value: "Known to all" } });
  // As when the window becomes a phone's, whose list is in a dialog.
  again();
  expect(screen.getByRole("textbox", { name: "Why the 3 findings can stay plain" })).toHaveProperty(
    "value",
    "Known to all",
  );
  fireEvent.click(screen.getByRole("button", { name: "Leave all" }));
  expect(screen.getByText("You left 3 findings as they are.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Leave all" })).toBeNull();
  expect(document.activeElement?.textContent).toBe("Findings");
  fireEvent.click(screen.getByRole("button", { name: "Show again" }));
  expect(screen.getByRole("button", { name: "Leave all" })).toBeTruthy();
  expect(marked).toEqual([]);
});
