import { lazyRouteComponent } from "@tanstack/react-router";
import { rethrowIfReachable } from "@/api/rethrow-if-reachable";

/**
 * A page whose code is loaded on the first visit. If an upgrade has renamed the code, the router reloads the app. If
 * the gateway is down, reloading would end on an error page of the browser, so the page shows a problem with a retry
 * button.
 */
export function lazyPage<T extends Record<string, unknown>, N extends keyof T & string>(
  load: () => Promise<T>,
  name: N,
) {
  return lazyRouteComponent(() => load().catch(rethrowIfReachable), name);
}
