import { pythonString } from "../python/python-string.ts";
import type { Launch } from "./incarnation.ts";

/** Variables that a Python process or its C library reads once, when it starts: they cannot be changed afterwards. */
const READ_AT_START =
  /^(?:PYTHON.*|LD_.*|DYLD_.*|LC_.*|LANG|LANGUAGE|TZ|HOME|TMPDIR|IPYTHON.*|JUPYTER.*|MALLOC_.*|GLIBC_.*)$/;

/** Whether a process of one launch can become that of the other by a change of its folder and its environment. */
export function sameKind(spare: Launch, wanted: Launch): boolean {
  return JSON.stringify(kindOf(spare)) === JSON.stringify(kindOf(wanted));
}

/** The code that brings a process of one launch to the folder and environment of another. It leaves no name behind. */
export function moveCode(from: Launch, to: Launch): string {
  const set = Object.fromEntries(Object.entries(to.env).filter(([name, value]) => from.env[name] !== value));
  const unset = Object.keys(from.env).filter((name) => !Object.hasOwn(to.env, name));
  const move = JSON.stringify({ set, unset, cwd: to.cwd });
  const source = [
    "import json, os",
    "move = json.loads(MOVE)",
    "os.chdir(move['cwd'])",
    "os.environ.update(move['set'])",
    "for name in move['unset']: os.environ.pop(name, None)",
  ];
  return `exec(${pythonString(source.join("\n"))}, {"MOVE": ${pythonString(move)}})`;
}

function kindOf({ spec, argv, transport, env }: Launch): unknown {
  const fixed = Object.entries(env).filter(([name]) => READ_AT_START.test(name));
  return [spec.name, spec.interruptMode, argv, transport, fixed.sort(([left], [right]) => (left < right ? -1 : 1))];
}
