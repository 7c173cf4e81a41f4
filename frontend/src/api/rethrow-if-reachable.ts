/** Code that could not be loaded: because the gateway is away, or because an upgrade has given it another name? */
import { isPassing, problemOf, unreachable } from "./problem";

/** Throws `cause` if the app could be loaded again: not while nobody answers, nor while a proxy answers in its place. */
export async function rethrowIfReachable(cause: unknown): Promise<never> {
  const answer = await fetch("/", { cache: "no-store" }).catch((error) => {
    throw unreachable(error);
  });
  if (isPassing(answer.status)) throw await problemOf(answer);
  throw cause;
}
