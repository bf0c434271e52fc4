// One small process for each owner of kernels. It starts with the first kernel, reads the groups to guard from a pipe, and
// ends with that pipe: when the owner closes it, or when the owner is gone, however it went. Where it was killed itself,
// another takes over.
import { existsSync } from "node:fs";
import { errorMessage } from "../errors.ts";
import { logLine } from "../log.ts";

/** Kills what its owner leaves behind. `close` is idempotent and lets the process end. */
export interface Watchdog {
  /** Guards a process group from now on. `python` runs the watchdog where the host has no shell. */
  guard(group: number, python?: string): void;
  /** Stops guarding a group that has ended, since its number may be given to others. */
  release(group: number): void;
  close(): Promise<void>;
}

/** A watchdog that ends sooner would end as soon the next time. Milliseconds. */
const LEAST_LIFE = 1000;
const SHELLS = ["/bin/sh", "/usr/bin/sh", "/system/bin/sh"];

/** Reads `+ <group>` and `- <group>` lines; at the end it kills the groups still guarded and removes the folder `$1`. */
const SHELL_PROGRAM = `
trap '' HUP INT TERM QUIT
PATH=/bin:/usr/bin
guarded=' '
while read -r what group; do
  case $what in
    +) guarded="$guarded$group " ;;
    -) case $guarded in *" $group "*) guarded="\${guarded%% $group *} \${guarded#* $group }" ;; esac ;;
  esac
done
for group in $guarded; do kill -s KILL -- "-$group" 2>/dev/null; done
rm -rf -- "$1"
`;

const PYTHON_PROGRAM = `
import os, shutil, signal, sys
for name in ("SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
guarded = set()
for line in iter(sys.stdin.readline, ""):
    what, group = line.split()
    (guarded.add if what == "+" else guarded.discard)(int(group))
for group in guarded:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
`;

/**
 * Guards against kernels that outlive us after a SIGKILL. The parent's death as ipykernel sees it is not enough: under a
 * subreaper (every container) its check never fires, and other kernels have none. `folder` holds our connection files; it is
 * removed too. `shells` are the places where a shell may be.
 */
export function createWatchdog(folder: string, shells: string[] = SHELLS): Watchdog {
  let child: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  const guarded = new Set<number>();
  let isClosed = false;
  const tell = (lines: string[]) => {
    child?.stdin.write(lines.map((line) => `${line}\n`).join(""));
    child?.stdin.flush();
  };
  const begin = (python: string | undefined) => {
    const began = performance.now();
    const started = start(folder, shells, python);
    child = started;
    tell([...guarded].map((group) => `+ ${group}`));
    void started?.exited.then(() => {
      child = undefined;
      // One that ends at once is tried again with the next kernel.
      if (isClosed || guarded.size === 0 || performance.now() - began < LEAST_LIFE) return;
      try {
        begin(python);
      } catch (error) {
        logLine(`kernels are not guarded for now: ${errorMessage(error)}`);
      }
    });
  };
  return {
    guard(group, python) {
      if (child === undefined) begin(python);
      guarded.add(group);
      tell([`+ ${group}`]);
    },
    release(group) {
      guarded.delete(group);
      tell([`- ${group}`]);
    },
    async close() {
      isClosed = true;
      await child?.stdin.end();
      await child?.exited;
    },
  };
}

function start(folder: string, shells: string[], python: string | undefined) {
  const shell = shells.find((path) => existsSync(path));
  const argv = shell ? [shell, "-c", SHELL_PROGRAM, "nuthatch-watchdog", folder] : pythonCommand(folder, python);
  if (!argv) {
    logLine("no sh and no python3 to guard the kernels with: they may outlive a SIGKILL of nuthatch");
    return undefined;
  }
  const options = { cwd: "/", env: {}, stdin: "pipe", stdout: "ignore", stderr: "ignore", detached: true } as const;
  const child = Bun.spawn(argv, options);
  child.unref();
  return child;
}

function pythonCommand(folder: string, python: string | undefined): string[] | undefined {
  return python ? [python, "-I", "-c", PYTHON_PROGRAM, folder] : undefined;
}
