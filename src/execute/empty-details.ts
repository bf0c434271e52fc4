import type { CellRequest, PythonDetails } from "./model.ts";

/** The details of a call before anything ran: every cell is pending. */
export function emptyDetails(session: string, cells: readonly CellRequest[]): PythonDetails {
  return {
    cells: cells.map(({ code, title }, index) => ({
      index,
      title: title ?? null,
      code,
      output: "",
      status: "pending",
      durationMs: 0,
      exitCode: null,
      statusEvents: [],
      restarted: false,
    })),
    jsonOutputs: [],
    images: [],
    statusEvents: [],
    markdown: [],
    outputs: [],
    cellIndexes: { jsonOutputs: [], markdown: [], images: [] },
    shownImages: [],
    session,
    kernel: null,
    cancelled: false,
    timedOut: false,
    stdinRequested: false,
    error: null,
    diagnostics: [],
    meta: { truncated: false, totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0, artifactId: null },
  };
}
