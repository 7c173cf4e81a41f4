/** What tests have beside them that show something: an end for each page, and what jsdom lacks. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// A page loads its code when it is first shown, which takes seconds on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

afterEach(cleanup);

// What jsdom lacks. Nothing is live in tests, and nothing scrolls. These are no stubs, which a test may take back, all of
// them.
Object.assign(globalThis, {
  EventSource: class {
    addEventListener() {}
    close() {}
  },
  scrollTo: () => {},
});
