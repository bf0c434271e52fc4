/** A duration for people: `8 ms`, `1.2 s`, `2 m 05 s`, `1 h 02 m`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [large, small, units] =
    seconds < 3600 ? [seconds / 60, seconds % 60, "ms"] : [seconds / 3600, (seconds % 3600) / 60, "hm"];
  return `${Math.floor(large)} ${units[0]} ${String(Math.floor(small)).padStart(2, "0")} ${units[1]}`;
}
