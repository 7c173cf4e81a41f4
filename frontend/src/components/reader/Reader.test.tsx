import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { renderSignedIn } from "@/test/render";
import { Reader } from "./Reader";

const sheet = () => screen.getByRole("article", { name: "memo" });

/** Copies what is selected, as the browser would. */
function copied(): Record<string, string> {
  const data: Record<string, string> = {};
  const event = new Event("copy", { bubbles: true, cancelable: true });
  Object.assign(event, {
    clipboardData: {
      clearData: () => {},
      setData: (type: string, text: string) => Object.assign(data, { [type]: text }),
    },
  });
  document.body.dispatchEvent(event);
  return data;
}

describe("a document", () => {
  test("shows classified text, and a literal bar as text", () => {
    renderSignedIn(<Reader name="memo" marked={"a <$S>secret<$E> █████\n<$S><$E>b"} />);
    expect(sheet().textContent).toBe("a secret █████\nb");
    expect([...sheet().querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["secret", ""]);
    expect(within(sheet()).queryByRole("img", { name: "withheld" })).toBeNull();
  });

  test("shows a gap as withheld, and never as a span", () => {
    renderSignedIn(<Reader name="memo" gaps marked={"a <$S><$E> b"} />);
    expect(within(sheet()).getAllByRole("img", { name: "withheld" })).toHaveLength(1);
    expect(sheet().querySelector("mark")).toBeNull();
    expect(screen.queryByRole("button", { name: "List classified text" })).toBeNull();
    screen.getByText("1 withheld part");
  });

  test("that is large is drawn in part", () => {
    renderSignedIn(<Reader name="memo" marked={"a line of some length\n".repeat(100_000)} />);
    expect(sheet().textContent?.length).toBeLessThan(100_000);
  });

  test("is drawn as a whole to be printed", () => {
    const text = "a line of some length\n".repeat(20_000);
    renderSignedIn(<Reader name="memo" marked={text} printed="From Ada" />);
    act(() => void window.dispatchEvent(new Event("beforeprint")));
    expect(sheet().textContent).toBe(text);
    screen.getByText("From Ada");
    act(() => void window.dispatchEvent(new Event("afterprint")));
    expect(sheet().textContent?.length).toBeLessThan(100_000);
  });

  test("with invalid marks shows an error", () => {
    renderSignedIn(<Reader name="memo" marked="<$S>open" />);
    expect(screen.getByRole("alert").textContent).toContain("never ends");
  });
});

describe("finding by keyboard", () => {
  test("opens, counts matches, wraps around, and returns the focus", async () => {
    const user = userEvent.setup();
    renderSignedIn(<Reader name="memo" marked={"one two <$S>one<$E> ones"} />);
    await user.keyboard("{Control>}f{/Control}one");
    const count = within(screen.getByRole("search")).getByRole("status");
    await screen.findByText("1 of 3");
    expect(document.querySelectorAll(".found")).toHaveLength(3);
    await user.keyboard("{Enter}");
    expect(count.textContent).toBe("2 of 3");
    expect(document.querySelector("mark .found[data-current]")?.textContent).toBe("one");
    await user.keyboard("{F3}{F3}");
    expect(count.textContent).toBe("1 of 3");
    await user.keyboard("{Shift>}{Enter}{/Shift}");
    expect(count.textContent).toBe("3 of 3");
    await user.keyboard("z");
    await screen.findByText("No matches");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("search")).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Find" }));
    expect(document.querySelector(".found")).toBeNull();
  });

  test("a second Ctrl-F is the browser's own", async () => {
    renderSignedIn(<Reader name="memo" marked="one" />);
    expect(fireEvent.keyDown(document.body, { key: "f", ctrlKey: true })).toBe(false);
    expect(fireEvent.keyDown(screen.getByRole("textbox"), { key: "f", ctrlKey: true })).toBe(true);
  });
});

describe("classified parts", () => {
  test("are stepped through, and around", async () => {
    const user = userEvent.setup();
    renderSignedIn(<Reader name="memo" marked={"<$S>x<$E> and <$S>y<$E>"} />);
    const next = screen.getByRole("button", { name: "Next classified part" });
    await user.click(next);
    screen.getByText("1 of 2 classified");
    await user.click(next);
    expect(document.querySelector("mark[data-selected]")?.textContent).toBe("y");
    await user.click(next);
    expect(document.querySelector("mark[data-selected]")?.textContent).toBe("x");
    await user.click(screen.getByRole("button", { name: "Previous classified part" }));
    screen.getByText("2 of 2 classified");
  });

  test("are listed with how often they occur, and chosen", async () => {
    const user = userEvent.setup();
    renderSignedIn(<Reader name="memo" marked={"<$S>x<$E>\n<$S>y<$E>\n<$S>x<$E>"} />);
    await user.click(screen.getByRole("button", { name: "List classified text" }));
    const list = await screen.findByRole("dialog", { name: "Classified text" });
    within(list).getByText("3 parts, 2 different.");
    within(list).getByText("2 times");
    await user.click(within(list).getByRole("button", { name: /y\s*line 2/ }));
    screen.getByText("2 of 3 classified");
  });
});

describe("copying", () => {
  test("copies the selection with its classification", () => {
    renderSignedIn(<Reader name="memo" marked={"ab\r<$S>cd<$E> ef"} />);
    fireEvent.keyDown(document.body, { key: "a", ctrlKey: true });
    expect(copied()).toEqual({ "text/plain": "ab\rcd ef", [MARKED_TYPE]: "ab\r<$S>cd<$E> ef" });
    const mark = document.querySelector("mark")?.firstChild;
    if (mark) getSelection()?.setBaseAndExtent(mark, 1, mark, 2);
    expect(copied()).toEqual({ "text/plain": "d", [MARKED_TYPE]: "<$S>d<$E>" });
  });

  test("copies the gateway's marker for withheld text", () => {
    renderSignedIn(<Reader name="memo" gaps marked={"ab <$S><$E> ef"} />);
    fireEvent.keyDown(document.body, { key: "a", ctrlKey: true });
    expect(copied()).toEqual({ "text/plain": "ab █████ ef" });
  });

  test("of something else on the page is left alone", () => {
    renderSignedIn(<Reader name="memo" marked="ab" />);
    getSelection()?.removeAllRanges();
    expect(copied()).toEqual({});
    cleanup();
    expect(copied()).toEqual({});
  });
});
