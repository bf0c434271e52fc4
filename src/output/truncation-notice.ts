import type { OutputDump } from "./streaming-output.ts";

/** What is shown of how much, and how to get the rest; undefined when all is shown. */
export function truncationNotice(dump: OutputDump): string | undefined {
  if (!dump.truncated) return undefined;
  const shown = `Output truncated: the last ${formatBytes(dump.outputBytes)} of ${formatBytes(dump.totalBytes)} are shown`;
  const lines = `${count(dump.outputLines)} of ${count(dump.totalLines)} lines`;
  return `[${shown}, ${lines}. ${whereIsTheRest(dump)}]`;
}

/** Where all of an output is that is shown in part. */
export function wholeOutput(artifactId: string): string {
  return `All of it: artifact://${artifactId} (nuthatch artifact ${artifactId}, or output("${artifactId}") in a cell)`;
}

/** A size for people: `512 B`, `50.0 KiB`, `1.2 GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

function whereIsTheRest(dump: OutputDump): string {
  const id = dump.artifactId;
  if (id !== undefined) return wholeOutput(id);
  return `The rest was not saved${dump.spillError === undefined ? "" : `: ${dump.spillError}`}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
