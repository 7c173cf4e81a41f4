import type { QueryClient } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterContextProvider,
  RouterProvider,
} from "@tanstack/react-router";
import { type RenderResult, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { Problem } from "@/api/problem";
import { sessionQuery } from "@/api/session";
import type { PersonShown } from "@/api/types";
import { Providers } from "@/app/providers";
import { newQueryClient } from "@/app/query-client";
import { newRouter } from "@/app/router";
import { SessionEndedDialog } from "@/app/SessionEndedDialog";
import { SessionProvider } from "@/session/session";
import { sessionOf, somebody } from "./people";

/** Renders part of a page for somebody who is signed in, with a router around it for links. Nothing is live. */
export function renderSignedIn(
  part: ReactNode,
  person: PersonShown = somebody(),
): RenderResult & { client: QueryClient } {
  const client = quietClient();
  client.setQueryData(sessionQuery.queryKey, sessionOf(person));
  const root = createRootRoute();
  const anywhere = createRoute({ getParentRoute: () => root, path: "$" });
  const router = createRouter({ routeTree: root.addChildren([anywhere]), history: createMemoryHistory() });
  const rendered = render(
    <Providers queryClient={client}>
      <RouterContextProvider router={router as never}>
        <SessionProvider first={{ ...sessionOf(person), person }}>
          {part}
          <SessionEndedDialog />
        </SessionProvider>
      </RouterContextProvider>
    </Providers>,
  );
  return { ...rendered, client };
}

/** Renders the whole app at an address. Who is signed in is what the test's gateway says. */
export function renderApp(path: string): RenderResult & { client: QueryClient } {
  const client = quietClient();
  window.history.replaceState(null, "", path);
  const rendered = render(
    <Providers queryClient={client}>
      <RouterProvider router={newRouter(client)} />
    </Providers>,
    // As in main: a refusal that a page shows is no news.
    { onCaughtError: (error) => error instanceof Problem || reportError(error) },
  );
  return { ...rendered, client };
}

/** The app's query cache, but a refusal is shown at once. */
function quietClient(): QueryClient {
  const client = newQueryClient();
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  return client;
}
