import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The compiled binary that every end-to-end test drives. */
export const BINARY = join(import.meta.dir, "..", "dist", "nuthatch");

/** A process's end: status, and all it wrote. */
export interface Finished {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** How a test starts the binary; `home` is its NUTHATCH_HOME, and `env` replaces single variables (undefined removes one). */
export interface RunOptions {
  home: string;
  cwd?: string;
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** Another copy of the binary. */
  binary?: string;
}

/** A folder of its own for a test, removed at the end of the scope, with the daemon that has it for its home. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "nuthatch-test-")));
  const dispose = () => {
    if (existsSync(join(path, "runtime", "gateway.lock"))) {
      Bun.spawnSync([BINARY, "stop"], { cwd: path, env: { ...process.env, NUTHATCH_HOME: path } });
    }
    rmSync(path, { recursive: true, force: true });
  };
  return { path, [Symbol.dispose]: dispose };
}

/** Runs the compiled binary to its end. */
export async function runNuthatch(words: string[], options: RunOptions): Promise<Finished> {
  const env: Record<string, string | undefined> = { ...process.env, NUTHATCH_HOME: options.home, ...options.env };
  const child = Bun.spawn([options.binary ?? BINARY, ...words], {
    cwd: options.cwd ?? options.home,
    env,
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** Calls a tool with `nuthatch call` and reads its one result line. */
export async function callTool(tool: string, input: unknown, options: RunOptions, words: string[] = []) {
  const finished = await runNuthatch(["call", tool, JSON.stringify(input), ...words], options);
  const lines = finished.stdout.trimEnd().split("\n");
  if (lines.length !== 1) throw new Error(`expected one line, got:\n${finished.stdout}\n${finished.stderr}`);
  const result = JSON.parse(lines[0] as string) as {
    content: { type: string; text?: string; data?: string; mimeType?: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is about
    details: any;
    isError: boolean;
  };
  return { ...finished, result, text: result.content.map((block) => block.text ?? "").join("\n") };
}
