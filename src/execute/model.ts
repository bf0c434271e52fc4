/** A cell's exception in the form of the `error` message. */
export interface CellError {
  name: string;
  value: string;
  traceback: string[];
}

/** How a kernel ended: its process's exit where the gateway tells it, and `reason` for a person always. */
export interface KernelDeath {
  reason: string;
  code: number | null;
  signal: string | null;
  /** The last words on its standard error. */
  stderr: string;
  /** A new process has taken its place already, under the same id. */
  replaced: boolean;
}
