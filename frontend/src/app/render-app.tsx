import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "@/api/problem";
import { watchLinkCode } from "@/session/link-code";
import { refuseDroppedFiles } from "./dropped-files-guard";
import { Providers } from "./providers";
import { newQueryClient } from "./query-client";
import { newRouter } from "./router";

/** Renders the app into the element. */
export function renderApp(root: HTMLElement): void {
  watchLinkCode();
  refuseDroppedFiles();
  const queryClient = newQueryClient();
  createRoot(root, { onCaughtError: reportDefect }).render(
    <StrictMode>
      <Providers queryClient={queryClient}>
        <RouterProvider router={newRouter(queryClient)} />
      </Providers>
    </StrictMode>,
  );
}

/** A refusal is shown on the page and is no news; anything else is a defect, and the browser's console has it. */
function reportDefect(error: unknown): void {
  if (!(error instanceof Problem)) reportError(error);
}
