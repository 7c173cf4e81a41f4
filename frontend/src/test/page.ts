/** What tests have beside them that show something: an end for each page, and what jsdom lacks. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// A page loads its code when it is first shown, which takes seconds on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

/** Prepares the pages of one test file. Files share this module, and each has a new jsdom. */
export function preparePages(): void {
  afterEach(cleanup);
  afterEach(() => void vi.unstubAllGlobals());
  // What jsdom lacks. Nothing is live in tests, and nothing scrolls. These are no stubs, which a test may take back, all of
  // them.
  Object.assign(globalThis, {
    EventSource: class {
      addEventListener() {}
      close() {}
    },
    scrollTo: () => {},
  });
}
