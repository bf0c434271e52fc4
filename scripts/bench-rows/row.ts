/** One line of the bench: ours against a peer's number from the same run. */
export interface BenchRow {
  name: string;
  unit: "ms" | "s" | "MB" | "MB/s";
  /** What ours may be at most, or with `atLeast` has to be at least, for what the peer took; and that in words. */
  bar: { words: string; limit(peer: number): number; atLeast?: boolean };
  /** Sets up once; what it returns is measured several times, in turns, and disposed. */
  start(): Promise<Contest>;
}

/** Two measurements of the same work, each a number in the row's unit. Where there is no peer it is absent. */
export interface Contest extends AsyncDisposable {
  ours(): Promise<number>;
  peer?(): Promise<number>;
}

/** The middle one of some numbers. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
