import { useState } from "react";
import { useNow } from "./use-now";

/** A wait that the gateway asked for: whole seconds, counted down, 0 from then on; and the function that begins it. */
export function useCountdown(): [number, (seconds: number) => void] {
  const [until, setUntil] = useState(0);
  const now = useNow(1000);
  const left = Math.max(0, Math.ceil((until - Math.max(now, Date.now())) / 1000));
  return [left, (seconds) => setUntil(Date.now() + seconds * 1000)];
}
