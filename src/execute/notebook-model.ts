import type { NotebookReview } from "../notebook/notebook-file.ts";
import type { Content } from "../output/model.ts";
import type { SessionRequest } from "./kernel-session.ts";
import type { CellError, CellStatus, TextMeta } from "./model.ts";
import type { CellSelection } from "./select-cells.ts";

/** A run of a notebook. `path` and `saveAs` are relative to `cwd`, the caller's; times are seconds. */
export interface NotebookRequest extends Omit<SessionRequest, "notebook"> {
  path: string;
  cells?: CellSelection;
  restart?: boolean | undefined;
  /** Of each cell. */
  timeout?: number | undefined;
  totalTimeout?: number | undefined;
  allowErrors?: boolean | undefined;
  saveAs?: string | undefined;
  force?: boolean | undefined;
  review?: NotebookReview | undefined;
}

/** An output without its bytes: what kind it is, and its text. */
export interface OutputSummary {
  type: string;
  name?: string;
  mimeTypes?: string[];
  text?: string;
}

/** One code cell of a run; `index` and `id` are the notebook's. */
export interface NotebookCellDetails {
  index: number;
  id: string | null;
  status: CellStatus;
  executionCount: number | null;
  durationMs: number;
  outputs: OutputSummary[];
  error: CellError | null;
}

/** The structured truth about a run. */
export interface NotebookDetails {
  cells: NotebookCellDetails[];
  /** How many cells ran. */
  executed: number;
  failedCell: number | null;
  kernel: string | null;
  notebookPath: string;
  saved: boolean;
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
