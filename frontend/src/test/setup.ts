import { cleanup, configure } from "@testing-library/react";
import fc from "fast-check";
import { afterEach, vi } from "vitest";

// A page's code is loaded when it is first shown, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 15_000 });

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

// What lands must not hang on chance: the same examples each time where CI says so, others everywhere else.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

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
