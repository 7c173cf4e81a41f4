import "./index.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "./api/problem";
import { watchLinkCode } from "./app/link-code";
import { Providers } from "./app/providers";
import { newQueryClient } from "./app/query-client";
import { newRouter } from "./app/router";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element #root");

watchLinkCode();

const queryClient = newQueryClient();

createRoot(root, { onCaughtError: reportDefect }).render(
  <StrictMode>
    <Providers queryClient={queryClient}>
      <RouterProvider router={newRouter(queryClient)} />
    </Providers>
  </StrictMode>,
);

/** A refusal is shown on the page and is no news; anything else is a defect, and the browser's console has it. */
function reportDefect(error: unknown): void {
  if (!(error instanceof Problem)) reportError(error);
}
