// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useLinkCode, watchLinkCode } from "./link-code";

it("takes the code out of the address, now and when another link is opened", () => {
  window.history.replaceState(null, "", "/welcome#first");
  watchLinkCode();
  const { result } = renderHook(() => useLinkCode());
  expect(result.current).toBe("first");
  expect(window.location.href).toMatch(/\/welcome$/);

  window.history.replaceState(null, "", "/welcome#second");
  act(() => {
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(result.current).toBe("second");
  expect(window.location.hash).toBe("");

  window.history.replaceState(null, "", "/documents#page");
  act(() => {
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(result.current).toBe("second");
  expect(window.location.hash).toBe("#page");
});
