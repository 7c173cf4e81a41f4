import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect, useState } from "react";
import { afterEach, expect, test } from "vitest";
import { usePageHeading } from "./page-heading";
import { restoreFocus } from "./restore-focus";

let end = () => {};
afterEach(() => {
  end();
  cleanup();
});

/** A button that goes when it is pressed, in a section of its own. */
function Once({ label, goes = () => {} }: { label: string; goes?: () => void }) {
  const [there, setThere] = useState(true);
  return there ? (
    <button
      type="button"
      onClick={() => {
        setThere(false);
        goes();
      }}
    >
      {label}
    </button>
  ) : null;
}

function Heading() {
  const { ref } = usePageHeading("Documents");
  return (
    <h1 ref={ref} tabIndex={-1}>
      Documents
    </h1>
  );
}

const focused = (element: HTMLElement) => waitFor(() => expect(document.activeElement).toBe(element));

test("when the focused element is removed, its panel or the page's heading gets the focus", async () => {
  end = restoreFocus();
  render(
    <main tabIndex={-1}>
      <Heading />
      <section tabIndex={-1} aria-label="Findings">
        <Once label="Look now" />
      </section>
      <Once label="Try again" />
    </main>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Look now" }));
  await focused(screen.getByRole("region", { name: "Findings" }));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await focused(screen.getByRole("heading", { name: "Documents" }));
});

function Next() {
  useEffect(() => screen.getByRole("button", { name: "Other" }).focus(), []);
  return null;
}

function Pages() {
  const [on, setOn] = useState(false);
  return (
    <section tabIndex={-1} aria-label="Findings">
      <Once label="Mark" goes={() => setOn(true)} />
      {on && <Next />}
      <button type="button">Other</button>
    </section>
  );
}

test("it never takes the focus that the page or the person has moved", async () => {
  end = restoreFocus();
  render(<Pages />);
  await userEvent.click(screen.getByRole("button", { name: "Mark" }));
  await act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Other" }));
  // Somebody clicked beside everything: what goes then had no focus.
  await userEvent.click(document.body);
  act(() => screen.getByRole("button", { name: "Other" }).remove());
  await act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  expect(document.activeElement).toBe(document.body);
});
