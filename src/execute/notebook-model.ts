import type { ActionOutcome, NotebookAction } from "../notebook/actions.ts";
import type { NotebookReview } from "../notebook/notebook-file.ts";
import type { Content } from "../output/model.ts";
import type { SessionRequest } from "./kernel-session.ts";
import type { CellError, CellStatus, TextMeta } from "./model.ts";
import type { Parameters } from "./parameter-source.ts";
import type { CellSelection } from "./select-cells.ts";

/** A run of a notebook. `path` and `saveAs` are relative to `cwd`, the caller's; times are seconds. */
export interface NotebookRequest extends Omit<SessionRequest, "notebook"> {
  path: string;
  cells?: CellSelection;
  /** Done to the notebook before the run, all or none; an index is that of the notebook as the edit before has left it. */
  edits?: readonly NotebookAction[] | undefined;
  /** The revision that the notebook must have before the edits. */
  ifRevision?: string | undefined;
  parameters?: Parameters | undefined;
  restart?: boolean | undefined;
  /** Of each cell. */
  timeout?: number | undefined;
  totalTimeout?: number | undefined;
  allowErrors?: boolean | undefined;
  saveAs?: string | undefined;
  force?: boolean | undefined;
  review?: NotebookReview | undefined;
}

/** An output without its bytes: what kind it is, and the end of its text. */
export interface OutputSummary {
  type: string;
  name?: string;
  mimeTypes?: string[];
  text?: string;
  /** The text is longer; the file has all of it. */
  truncated?: true;
}

/** One code cell of a run; `index` and `id` are the notebook's. A `skipped` cell is empty, or its tag says so. */
export interface NotebookCellDetails {
  index: number;
  id: string | null;
  status: CellStatus | "skipped";
  executionCount: number | null;
  durationMs: number;
  outputs: OutputSummary[];
  error: CellError | null;
  /** Its outputs are in the file. */
  saved: boolean;
}

/** What one edit before the run did. */
export type EditDetails = { action: NotebookAction["action"] } & Omit<ActionOutcome, "replacements" | "text">;

/** The structured truth about a run. In an update `cells` has only those that have changed since the update before. */
export interface NotebookDetails {
  cells: NotebookCellDetails[];
  edits: EditDetails[];
  /** How many cells ran. */
  executed: number;
  failedCell: number | null;
  kernel: string | null;
  notebookPath: string;
  saved: boolean;
  /** Of the file as the run left it; null when it wrote nothing. */
  revision: string | null;
  session: string;
  cancelled: boolean;
  timedOut: boolean;
  stdinRequested: boolean;
  error: CellError | null;
  diagnostics: unknown[];
  meta: TextMeta;
}

export interface NotebookResult {
  content: Content[];
  details: NotebookDetails;
  isError: boolean;
}

/** How a run is cancelled, and who hears its new text. */
export interface NotebookRunOptions {
  signal: AbortSignal;
  onUpdate?: ((update: { content: Content[]; details: NotebookDetails }) => void) | undefined;
}
