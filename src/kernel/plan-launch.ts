import { statSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import type { Interpreter } from "../python/find-interpreter.ts";
import { activateInterpreter } from "../python/kernel-environment.ts";
import type { Transport } from "./connection-file.ts";
import { kernelStartFailed } from "./errors.ts";
import type { Launch } from "./incarnation.ts";
import type { KernelSpec } from "./model.ts";

/** Kernels of these languages bind `ipc` sockets; others, written in Java or Go or Rust, often know only `tcp`. */
const IPC_LANGUAGES = new Set(["python", "r", "bash"]);
/** A bare name of Python in `argv` means the chosen interpreter, not the first of PATH. */
const BARE_PYTHON = /^python(3(\.\d+)?)?$/;

/**
 * What to run for a kernelspec: `{prefix}` and `{resource_dir}` filled in, the interpreter's environment activated, the spec's
 * `env` added with its `${VAR}`s replaced. Throws `kernel_start_failed` when `argv[0]` cannot be found.
 */
export function planLaunch(
  spec: KernelSpec,
  where: { cwd: string; env: Record<string, string> },
  interpreter: Interpreter | undefined,
): Launch {
  const { cwd } = where;
  const active = interpreter ? activateInterpreter(where.env, interpreter) : where.env;
  const env = { ...active, ...substitute(spec.env, active), JPY_PARENT_PID: String(process.pid) };
  const [command = "", ...rest] = spec.argv;
  const fill = (word: string) =>
    word.replaceAll("{resource_dir}", spec.resourceDir).replaceAll("{prefix}", interpreter?.prefix ?? "");
  const program =
    interpreter && meansInterpreter(spec, command)
      ? interpreter.executable
      : findProgram(spec.name, fill(command), cwd, env);
  return {
    spec,
    argv: [program, ...rest.map(fill)],
    cwd,
    env,
    transport: chooseTransport(spec),
    ...(interpreter ? { python: interpreter.executable } : {}),
  };
}

function meansInterpreter(spec: KernelSpec, command: string): boolean {
  return BARE_PYTHON.test(command) || (spec.name === "python3" && BARE_PYTHON.test(basename(command)));
}

function findProgram(kernel: string, command: string, cwd: string, env: Record<string, string>): string {
  const found = Bun.which(command, { PATH: env.PATH ?? "", cwd });
  if (found) return isAbsolute(found) ? found : resolve(cwd, found);
  if (statSync(resolve(cwd, command), { throwIfNoEntry: false }))
    throw kernelStartFailed(kernel, `cannot start: ${command} is not executable`);
  throw kernelStartFailed(kernel, `cannot start: its program ${command} is not there`);
}

function chooseTransport(spec: KernelSpec): Transport {
  const known = IPC_LANGUAGES.has(spec.language.toLowerCase()) || BARE_PYTHON.test(basename(spec.argv[0] ?? ""));
  return known ? "ipc" : "tcp";
}

/** `${VAR}` and `$VAR` stand for the variables of the environment that the kernel inherits, `$$` for `$`; unknown ones are left. */
function substitute(values: Record<string, string>, env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (whole, braced, bare) =>
        whole === "$$" ? "$" : (env[braced ?? bare] ?? whole),
      ),
    ]),
  );
}
