import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Problem } from "@/api/problem";
import { LazySendDialog } from "./LazySendDialog";
import { aDraft } from "./transfer.fixture";

afterEach(() => vi.unstubAllGlobals());

const code = vi.hoisted(() => ({ tries: 0, fail: () => {} }));

vi.mock("./SendDialog", async () => {
  if (code.tries++ === 0) {
    await new Promise<void>((resolve) => {
      code.fail = resolve;
    });
    throw new TypeError("Failed to fetch dynamically imported module: /assets/S-1.js");
  }
  return { SendDialog: ({ open }: { open: boolean }) => open && <p>To whom?</p> };
});

function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Send
      </button>
      <LazySendDialog drafts={[aDraft()]} open={open} onOpenChange={setOpen} />
    </>
  );
}

test("while the code for sending is awaited that is said; then why it did not come, and it is tried again", async () => {
  vi.stubGlobal("fetch", async () => new Response("<h1>nginx</h1>", { status: 502 }));
  render(<Page />, { onCaughtError: (error) => expect(error).toBeInstanceOf(Problem) });
  const send = screen.getByRole("button", { name: "Send" });
  const waiting = () => screen.queryByText("Loading what is needed to send…")?.role;
  expect(waiting()).toBe(undefined);
  await userEvent.click(send);
  expect(waiting()).toBe("status");
  expect(document.activeElement).toBe(send);
  code.fail();
  expect((await screen.findByRole("alert")).textContent).toMatch(/^It cannot be sent now\..*Try again$/);
  expect(waiting()).toBe(undefined);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("To whom?")).toBeTruthy();
});
