import { lazyRouteComponent } from "@tanstack/react-router";
import { rethrowIfReachable } from "@/api/rethrow-if-reachable";

/**
 * A page whose code is loaded when it is first visited. Code that is not there has another name since the gateway was
 * upgraded: the router then loads the app again. While the gateway is away that would end on an error page of the browser
 * or of a proxy, so it is a problem like any other then, to be tried again.
 */
export function lazyPage<T extends Record<string, unknown>, N extends keyof T & string>(
  load: () => Promise<T>,
  name: N,
) {
  return lazyRouteComponent(() => load().catch(rethrowIfReachable), name);
}
