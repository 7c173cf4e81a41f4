/** Tells the other tabs of this browser that a person signed in or out. Does not tell who. */

const NAME = "sieve-session";

export const sessionBroadcast = {
  /** Tells the other tabs. */
  send(): void {
    if (typeof BroadcastChannel === "undefined") return;
    const channel = new BroadcastChannel(NAME);
    channel.postMessage("changed");
    channel.close();
  },

  /** Calls `listener` when another tab sends, until the returned function is called. */
  listen(listener: () => void): () => void {
    if (typeof BroadcastChannel === "undefined") return () => {};
    const channel = new BroadcastChannel(NAME);
    channel.onmessage = () => listener();
    return () => channel.close();
  },
};
