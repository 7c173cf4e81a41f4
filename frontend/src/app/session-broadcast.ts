/** Tells the other tabs of this browser that somebody signed in or out here. It says nothing of whom. */

const NAME = "sieve-session";

export const sessionBroadcast = {
  /** Tells the others. */
  send(): void {
    if (typeof BroadcastChannel === "undefined") return;
    const channel = new BroadcastChannel(NAME);
    channel.postMessage("changed");
    channel.close();
  },

  /** Calls `listener` when another tab tells; what is returned ends that. */
  hear(listener: () => void): () => void {
    if (typeof BroadcastChannel === "undefined") return () => {};
    const channel = new BroadcastChannel(NAME);
    channel.onmessage = () => listener();
    return () => channel.close();
  },
};
