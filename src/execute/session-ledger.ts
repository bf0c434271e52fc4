import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";

/** Why the state of a session is gone that an earlier process kept and did not end. */
const REASON = "the daemon that kept it ended";
/** Sessions that nobody has called again since their process ended; the oldest are forgotten. */
const MOST_SESSIONS = 100;

/**
 * A file that names the sessions which live in this process. One that is killed leaves it behind, so that the next one can tell
 * their callers. A session leaves it with its own end; without any the file is not there.
 */
export class SessionLedger {
  readonly #path: string;
  readonly #sessions: Set<string>;
  #left = false;

  constructor(path: string) {
    this.#path = path;
    this.#sessions = new Set(readList(path));
  }

  /** Why the state of a gateway's sessions is gone, by their keys. */
  lostOn(gateway: string): [key: string, reason: string][] {
    const found = [...this.#sessions].filter((session) => session.startsWith(`${gateway} `));
    return found.map((session) => [session.slice(gateway.length + 1), REASON]);
  }

  /** Notes a session that has state from now on; returns what is to be called at its end. */
  enter(gateway: string, key: string): () => void {
    const session = `${gateway} ${key}`;
    this.#sessions.delete(session);
    this.#sessions.add(session);
    this.#write();
    return () => {
      this.#sessions.delete(session);
      this.#write();
    };
  }

  /** Leaves the file to the process that comes next: the sessions end with this one, which can tell nobody any more. */
  leave(): void {
    this.#left = true;
  }

  #write(): void {
    if (this.#left) return;
    try {
      writeList(this.#path, [...this.#sessions].slice(-MOST_SESSIONS));
    } catch (error) {
      logLine(`the live sessions were not noted: ${errorMessage(error)}`);
    }
  }
}

function writeList(path: string, list: string[]): void {
  if (list.length > 0) {
    const part = `${path}.${process.pid}.part`;
    writeFileSync(part, `${JSON.stringify(list)}\n`, { mode: 0o600 });
    renameSync(part, path);
  } else rmSync(path, { force: true });
}

function readList(path: string): string[] {
  try {
    const list: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
  } catch {
    return [];
  }
}
