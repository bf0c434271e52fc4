import { exit } from "../exit.ts";

/** Calls `stop` on the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. Returns the undo. */
export function onInterrupt(stop: () => void): () => void {
  let asked = false;
  const listener = () => {
    if (asked) exit(130);
    asked = true;
    stop();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
