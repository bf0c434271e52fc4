import type { Content } from "../output/model.ts";
import type { PythonDetails } from "./model.ts";

/** What somebody who watches a session hears of its calls: new text and images, the details as they stand, and the end. */
export interface SessionEvent {
  /** Unique for each call. */
  call: string;
  content: Content[];
  details: PythonDetails;
  ended: boolean;
}

export type SessionListener = (event: SessionEvent) => void;

/** A call's way to the watchers of its session. Open from its first change to its end. */
export interface CallWatch {
  /** Whether anybody watches. */
  readonly wanted: boolean;
  /** The call runs; `show` makes it tell how it stands, for a watcher that comes later. Idempotent. */
  open(show: () => void): void;
  tell(update: { content: Content[]; details: PythonDetails }): void;
  close(details: PythonDetails): void;
}

/** Who watches which session, by the session's name; a session need not be there yet. */
export class SessionWatchers {
  readonly #listeners = new Map<string, Set<SessionListener>>();
  readonly #running = new Map<string, Map<string, () => void>>();

  /** Hears all calls of the session from now on; one that runs is told at once as it stands. Returns the way to stop. */
  watch(session: string, listener: SessionListener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listener));
    for (const show of this.#running.get(session)?.values() ?? []) show();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(session) === listeners) this.#listeners.delete(session);
    };
  }

  /** The watch of a new call. */
  startCall(session: string): CallWatch {
    const call = crypto.randomUUID();
    const listeners = this.#listeners;
    const running = this.#running;
    const tell = (event: Omit<SessionEvent, "call">) => {
      for (const listener of listeners.get(session) ?? []) listener({ call, ...event });
    };
    return {
      get wanted() {
        return listeners.has(session);
      },
      open(show) {
        running.set(session, (running.get(session) ?? new Map()).set(call, show));
      },
      tell: (update) => tell({ ...update, ended: false }),
      close(details) {
        running.get(session)?.delete(call);
        if (running.get(session)?.size === 0) running.delete(session);
        if (listeners.has(session)) tell({ content: [], details: structuredClone(details), ended: true });
      },
    };
  }
}
