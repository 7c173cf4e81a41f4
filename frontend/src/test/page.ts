/** What tests have beside them that show something: an end for each page, and what jsdom lacks. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// A page's code is loaded when it is first shown, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);

// What jsdom lacks. Nothing is live in tests, and nothing scrolls.
vi.stubGlobal(
  "EventSource",
  class {
    addEventListener() {}
    close() {}
  },
);
vi.stubGlobal("scrollTo", () => {});
