import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useSelection } from "./use-selection";

it("forgets what was selected once another search or filter is shown", () => {
  const { result, rerender } = renderHook(({ list }) => useSelection(list), { initialProps: { list: "all" } });
  act(() => result.current[1]({ selected: new Map([["a", { id: "a" }]]), last: "a" }));
  rerender({ list: "all" });
  expect([...result.current[0].selected.keys()]).toEqual(["a"]);
  rerender({ list: "tag" });
  expect(result.current[0].selected.size).toBe(0);
  rerender({ list: "all" });
  expect(result.current[0].selected.size).toBe(0);
});
