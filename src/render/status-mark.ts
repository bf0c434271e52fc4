import type { Role, Theme } from "./theme.ts";

/** Where a cell stands; the tools' words. */
export type CellStatus = "pending" | "running" | "complete" | "error";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPINNER_STEP_MS = 80;
const MARKS: Record<Exclude<CellStatus, "running">, { mark: string; role: Role }> = {
  pending: { mark: "○", role: "muted" },
  complete: { mark: "✓", role: "success" },
  error: { mark: "✗", role: "error" },
};

/** The mark of a status, one column wide; that of a running cell turns with the time that it has taken. */
export function statusMark(status: CellStatus, elapsedMs: number, theme: Theme): string {
  if (status !== "running") return theme.style(MARKS[status].role, MARKS[status].mark);
  return theme.style("accent", SPINNER[Math.floor(elapsedMs / SPINNER_STEP_MS) % SPINNER.length] as string);
}
