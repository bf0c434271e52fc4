import { errorCode, errorMessage } from "../errors.ts";

/**
 * What an interpreter said about itself. `executable` is what to run, not a shim that stands for it; `searched` are the folders
 * that it imports from, `ipykernel` is a version or null.
 */
export interface InterpreterFacts {
  executable: string;
  version: string;
  prefix: string;
  environment: boolean;
  ipykernel: string | null;
  searched: string[];
}

/** The oldest Python that the bundled kernel runs on. */
const OLDEST = [3, 8];
const LIMIT_MILLISECONDS = 5000;
const MARK = "nuthatch-probe:";

/**
 * Is also read by Python 2, which must get as far as saying its version. The current folder is not imported from, since it may
 * hold a user's own json.py; yet it is the folder of the call, because a shim of pyenv or mise chooses by it.
 */
const PROGRAM = `
import sys
sys.path = [path for path in sys.path if path]
import os, re, json
def find():
    try:
        from importlib.util import find_spec
        spec = find_spec("ipykernel")
        if spec is None or not spec.origin or find_spec("ipykernel_launcher") is None:
            return None
        site = os.path.dirname(os.path.dirname(spec.origin))
        names = [re.match(r"ipykernel-([0-9]+(?:[.][0-9a-z]+)*?)[.](?:dist-info|egg)", name) for name in os.listdir(site)]
        return ([name.group(1) for name in names if name] or ["unknown"])[0]
    except Exception:
        return None
print("${MARK}" + json.dumps({
    "executable": sys.executable,
    "version": ".".join(map(str, sys.version_info[:3])),
    "prefix": sys.prefix,
    "environment": sys.prefix != getattr(sys, "base_prefix", sys.prefix) or os.path.isdir(os.path.join(sys.prefix, "conda-meta")),
    "ipykernel": find(),
    "searched": [path for path in sys.path if os.path.isdir(path)],
}))
`;

/** Asks an interpreter about itself, within 5 s. Gives the reason in words where that does not work or it is too old. */
export async function probeInterpreter(
  path: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
  signal?: AbortSignal,
): Promise<{ facts: InterpreterFacts } | { reason: string }> {
  try {
    const child = Bun.spawn([path, "-c", PROGRAM], {
      cwd,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: LIMIT_MILLISECONDS,
      killSignal: "SIGKILL",
      detached: true,
      ...(signal ? { signal } : {}),
    });
    const texts = [readText(child.stdout), readText(child.stderr)];
    await child.exited;
    killGroup(child.pid);
    const [output = "", errors = ""] = await Promise.all(texts);
    return readAnswer(output, errors, child);
  } catch (error) {
    if (errorCode(error) === "EMFILE" || errorCode(error) === "ENFILE") throw error;
    return { reason: errorMessage(error) };
  }
}

/** A shim that was killed leaves its child, which would hold the pipes open. */
function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {}
}

function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

function readAnswer(
  output: string,
  errors: string,
  child: { exitCode: number | null; signalCode: unknown },
): { facts: InterpreterFacts } | { reason: string } {
  const line = output.split("\n").find((one) => one.startsWith(MARK));
  if (line === undefined) {
    const ending = child.signalCode ? `no answer within ${LIMIT_MILLISECONDS / 1000} s` : `exit code ${child.exitCode}`;
    return { reason: [ending, errors.trim().split("\n").at(-1)].filter(Boolean).join(", ") };
  }
  const facts = JSON.parse(line.slice(MARK.length)) as InterpreterFacts;
  const [major = 0, minor = 0] = facts.version.split(".").map(Number);
  const old = major < OLDEST[0]! || (major === OLDEST[0] && minor < OLDEST[1]!);
  return old ? { reason: `Python ${facts.version} is older than ${OLDEST.join(".")}` } : { facts };
}
