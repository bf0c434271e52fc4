import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";

/** Why the state of a session is gone that an earlier process kept and did not end. */
const REASON = "the daemon that kept it ended";
/** Sessions that nobody has called again since their process ended; the oldest are forgotten. */
const MOST_SESSIONS = 100;
/** With more lines than these the file is written anew. */
const MOST_LINES = 1000;

/**
 * A file that names the sessions which live in this process: a line for each that begins (`+`) or ends (`-`), because nobody's
 * call should wait for more. A process that is killed leaves it behind, so that the next one can tell their callers. Without
 * any session the file is not there.
 */
export class SessionLedger {
  readonly #path: string;
  readonly #sessions: Set<string>;
  /** Which of those of a name lives now: one may begin while the one before is still ending. */
  readonly #present = new Map<string, symbol>();
  #lines = 0;
  #left = false;

  constructor(path: string) {
    this.#path = path;
    this.#sessions = new Set([...readSessions(path)].slice(-MOST_SESSIONS));
    this.#save(() => this.#rewrite());
  }

  /** Why the state of a gateway's sessions is gone, by their keys; not of those that live now, under another token say. */
  lostOn(gateway: string): [key: string, reason: string][] {
    const lost = [...this.#sessions].filter((session) => !this.#present.has(session));
    const found = lost.filter((session) => session.startsWith(`${gateway} `));
    return found.map((session) => [session.slice(gateway.length + 1), REASON]);
  }

  /** Notes a session that has state from now on; returns what is to be called at its end. */
  enter(gateway: string, key: string): () => void {
    const session = `${gateway} ${key}`;
    const own = Symbol(key);
    this.#present.set(session, own);
    this.#sessions.add(session);
    this.#add(`+${JSON.stringify(session)}\n`);
    return () => {
      if (this.#present.get(session) !== own) return;
      this.#present.delete(session);
      this.#sessions.delete(session);
      this.#add(`-${JSON.stringify(session)}\n`);
    };
  }

  /** Leaves the file to the process that comes next: the sessions end with this one, which can tell nobody any more. */
  leave(): void {
    this.#left = true;
  }

  #add(line: string): void {
    const short = this.#sessions.size > 0 && ++this.#lines <= MOST_LINES;
    this.#save(() => (short ? appendFileSync(this.#path, line, { mode: 0o600 }) : this.#rewrite()));
  }

  #rewrite(): void {
    const lines = [...this.#sessions].map((session) => `+${JSON.stringify(session)}\n`);
    this.#lines = lines.length;
    if (lines.length > 0) writeFileSync(this.#path, lines.join(""), { mode: 0o600 });
    else rmSync(this.#path, { force: true });
  }

  #save(write: () => void): void {
    try {
      if (!this.#left) write();
    } catch (error) {
      logLine(`the live sessions were not noted: ${errorMessage(error)}`);
    }
  }
}

/** A line that was cut is nobody's. */
function readSessions(path: string): Set<string> {
  const sessions = new Set<string>();
  for (const line of readText(path).split("\n")) {
    try {
      const session: string = JSON.parse(line.slice(1));
      if (line.startsWith("+")) sessions.add(session);
      else sessions.delete(session);
    } catch {}
  }
  return sessions;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
