import { act, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { focusHeading, usePageHeading } from "./page-heading";

function Page({ title }: { title: string }) {
  const { ref } = usePageHeading(title);
  return (
    <h1 ref={ref} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** `title`: null while the page's code loads. */
function Shell({ title }: { title: string | null }) {
  return (
    <main tabIndex={-1}>
      {title === null ? <p>Loading</p> : <Page key={title} title={title} />}
      <input aria-label="Name" />
    </main>
  );
}

const focused = () => document.activeElement;
const heading = () => screen.getByRole("heading");

test("the focus waits in the page while it loads, and then goes from heading to heading", () => {
  const { rerender } = render(<Shell title="Documents" />);
  act(focusHeading);
  expect(focused()).toBe(heading());
  rerender(<Shell title={null} />);
  expect(focused()).toBe(screen.getByRole("main"));
  // The navigation has ended, and the page has no heading yet.
  act(focusHeading);
  expect(focused()).toBe(screen.getByRole("main"));
  rerender(<Shell title="Document" />);
  expect(focused()).toBe(heading());
  rerender(<Shell title="berths.txt" />);
  expect(focused()).toBe(heading());
});

test("without a heading, the focus goes into the page also from what is gone", () => {
  const { rerender } = render(<Shell title={null} />);
  act(focusHeading);
  expect(focused()).toBe(screen.getByRole("main"));
  act(() => screen.getByRole("textbox").focus());
  rerender(<Shell title="berths.txt" />);
  expect(focused()).toBe(screen.getByRole("textbox"));
});
