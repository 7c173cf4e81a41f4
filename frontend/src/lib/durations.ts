/** Milliseconds for people: `0.42 ms`, `12.4 ms`, `1.24 s`, `3 min 5 s`, `20 h 50 min`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${Number(ms.toFixed(2))} ms`;
  if (ms < 99.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${Number((ms / 1000).toFixed(2))} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
