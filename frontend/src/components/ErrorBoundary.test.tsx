import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ComponentType, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Problem } from "@/api/problem";
import { ErrorBoundary } from "./ErrorBoundary";
import { lazyWithPreload } from "./lazy-with-preload";

afterEach(() => vi.unstubAllGlobals());

/** A dialog whose code does not come at the first tries: a proxy answers in the gateway's place. */
function comesAfter(failures: number) {
  vi.stubGlobal("fetch", async () => new Response("<h1>nginx</h1>", { status: 502 }));
  const asked = { tries: 0 };
  const Dialog = lazyWithPreload(async () => {
    if (asked.tries++ < failures) throw new TypeError("Failed to fetch dynamically imported module: /assets/D-1.js");
    return () => <p>It is here</p>;
  });
  return { asked, Dialog };
}

/** A page with work in it, which has the dialog from the first press on; the second press opens it. */
function Page({ Dialog, onFailed }: { Dialog: ComponentType; onFailed: (error: unknown) => void }) {
  const [stage, setStage] = useState<"idle" | "saving" | "open">("idle");
  return (
    <>
      <textarea aria-label="Work" />
      <button type="button" onClick={() => setStage(stage === "idle" ? "saving" : "open")}>
        Send
      </button>
      {stage !== "idle" && (
        <ErrorBoundary
          open={stage === "open"}
          onFailed={(error) => {
            onFailed(error);
            setStage("saving");
          }}
        >
          <Dialog />
        </ErrorBoundary>
      )}
    </>
  );
}

test("code that does not come leaves the page as it is, and is asked for again when it is opened", async () => {
  const { asked, Dialog } = comesAfter(2);
  const [onFailed, caught] = [vi.fn(), vi.fn()];
  const user = userEvent.setup();
  render(<Page Dialog={Dialog} onFailed={onFailed} />, { onCaughtError: caught });
  await user.type(screen.getByRole("textbox", { name: "Work" }), "half a sentence");
  const send = screen.getByRole("button", { name: "Send" });
  await user.click(send);
  await waitFor(() => expect(caught).toHaveBeenCalledOnce());
  expect(onFailed).not.toHaveBeenCalled();
  await user.click(send);
  await waitFor(() => expect(onFailed).toHaveBeenCalledExactlyOnceWith(expect.any(Problem)));
  expect(asked.tries).toBe(2);
  expect(screen.getByRole("textbox", { name: "Work" })).toHaveProperty("value", "half a sentence");
  await user.click(send);
  expect(await screen.findByText("It is here")).toBeTruthy();
  expect(onFailed).toHaveBeenCalledOnce();
});
