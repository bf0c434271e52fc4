import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connectToDaemon } from "../../src/daemon/client.ts";
import { daemonFiles } from "../../src/daemon/daemon-files.ts";
import { lockFile } from "../../src/daemon/lock-file.ts";
import { Daemon, type DaemonApp } from "../../src/daemon/server.ts";
import type { Build } from "../../src/daemon/wire.ts";
import { type Directories, findDirectories } from "../../src/paths.ts";
import { loadSettings } from "../../src/settings.ts";
import type { SessionClient } from "../../src/tools/client.ts";
import type { CallOptions, ToolResult } from "../../src/tools/tool.ts";

/** The app of a test: `run` is what every call does, and `activity` can be set. */
export class TestApp implements DaemonApp {
  sessions = 0;
  runs = 0;
  results = 0;
  disposed = false;

  constructor(private readonly run: (input: unknown, options: CallOptions) => Promise<unknown>) {}

  async callTool(_name: string, input: unknown, options: CallOptions): Promise<ToolResult> {
    return { content: [], details: { value: await this.run(input, options) }, isError: false };
  }

  session(): SessionClient {
    throw new Error("this app has no sessions");
  }

  async serveGateway() {
    return { idleFor: Number.POSITIVE_INFINITY, leave: () => {} };
  }

  activity() {
    return { sessions: this.sessions, runs: this.runs, results: this.results };
  }

  leaveSessions(): void {}

  async dispose(): Promise<void> {
    this.disposed = true;
  }
}

/** The directories of a daemon whose home is `home`; the runtime directory exists. */
export function directoriesOf(home: string): Directories {
  const directories = findDirectories({ NUTHATCH_HOME: home });
  mkdirSync(directories.runtime, { recursive: true, mode: 0o700 });
  return directories;
}

/** Serves `app` in this process. */
export async function serveApp(home: string, app: DaemonApp, options: { idleTimeout?: number; build?: Build } = {}) {
  const files = daemonFiles(directoriesOf(home).runtime);
  const lock = await lockFile(files.lock, { timeout: 5 });
  return new Daemon({ files, lock, app, idleTimeout: 300, ...options });
}

/** A client of the daemon at `home`; where there is none, `command` must start it. */
export async function connectIn(home: string, command = ["false"]) {
  const directories = directoriesOf(home);
  const { settings } = loadSettings({ configDirectory: directories.config });
  return await connectToDaemon({ directories, settings, environment: {}, command });
}

/** What a call brings along, for a test. */
export function callOptions(home: string, options: Partial<CallOptions> = {}): CallOptions {
  const { settings } = loadSettings({ configDirectory: join(home, "config") });
  return { cwd: home, environment: {}, settings, signal: new AbortController().signal, ...options };
}
