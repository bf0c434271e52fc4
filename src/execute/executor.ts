/** Runs code in kernels behind a Jupyter gateway and owns the sessions; `dispose` ends all of them and is idempotent. */
export interface Executor {
  dispose(): Promise<void>;
}
