/** Tells why code could not be loaded: the gateway is down, or an upgrade has renamed it. */
import { isPassing, problemOf, unreachable } from "./problem";

/** Throws `cause` if the gateway answers, so that reloading the app helps; otherwise a `Problem`. */
export async function rethrowIfReachable(cause: unknown): Promise<never> {
  const answer = await fetch("/", { cache: "no-store" }).catch((error) => {
    throw unreachable(error);
  });
  if (isPassing(answer.status)) throw await problemOf(answer);
  throw cause;
}
