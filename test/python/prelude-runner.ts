import { existsSync } from "node:fs";
import { join } from "node:path";
import { deliverPrelude, type PreludeModule, type PreludePlace, preludeCode } from "../../src/python/prelude.ts";
import { temporaryFolder } from "../nuthatch.ts";

/** What code with the helpers came to, without any kernel: `value` is that of its last line, as JSON. */
export interface HelperRun {
  stdout: string;
  stderr: string;
  value: unknown;
  events: Record<string, unknown>[];
  diagnostics: unknown[];
  error: string | null;
}

/** What may be another than the default: the Python, where the package comes from, modules, the environment. */
export interface HelperOptions {
  python?: string;
  place?: PreludePlace;
  modules?: PreludeModule[];
  env?: Record<string, string>;
}

/** The oldest Python that the helpers are written for, where this host has it. */
export const OLDEST_PYTHON = ["/usr/bin/python3.8", `${process.env.HOME}/.pyenv/versions/3.8.18/bin/python3.8`].find(
  existsSync,
);

const DRIVER = `
import io, json, sys
sent = {}
def display(bundle, raw):
    for mime, value in bundle.items(): sent.setdefault(mime, []).append(value)
code, load = json.loads(sys.argv[1])
space = {"display": display}
exec(load, space)
*lines, last = code.strip().split("\\n")
out, real, value, error = io.StringIO(), sys.stdout, None, None
sys.stdout = out
try:
    exec("\\n".join(lines), space)
    value = eval(last, space)
except BaseException as raised:
    error = "%s: %s" % (type(raised).__name__, raised)
sys.stdout = real
diagnostics = sent.get("application/vnd.nuthatch.diagnostics+json", [[]])[0]
found = dict(stdout=out.getvalue(), value=value, events=sent.get("application/x-xcsh-status", []), diagnostics=diagnostics, error=error)
print(json.dumps(found, default=lambda value: list(value) if isinstance(value, (set, bytes)) else str(value)))
`;

/** A folder of a test's own, with Python in it. */
export function helperFolder() {
  const folder = temporaryFolder();
  const runtime = temporaryFolder();
  return {
    path: folder.path,
    /** Runs lines of Python; the last one is an expression. */
    async run(code: string, options: HelperOptions = {}): Promise<HelperRun> {
      const { python = "python3", place = deliverPrelude(runtime.path), modules = [], env = {} } = options;
      const words = [python, "-c", DRIVER, JSON.stringify([code, preludeCode(place, modules)])];
      const child = Bun.spawn(words, {
        cwd: folder.path,
        env: { ...process.env, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [text, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      if (text === "") throw new Error(stderr);
      return { ...JSON.parse(text), stderr };
    },
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      runtime[Symbol.dispose]();
    },
    file: (name: string) => join(folder.path, name),
  };
}
