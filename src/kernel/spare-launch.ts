import { delimiter, isAbsolute } from "node:path";
import { pythonString } from "../python/python-string.ts";
import type { Launch } from "./incarnation.ts";

/** Variables that a Python process, its kernel or its C library reads once, when it starts: a later change comes too late. */
const READ_AT_START =
  /^(?:PYTHON.*|PATH|VIRTUAL_ENV|CONDA_.*|LD_.*|DYLD_.*|LC_.*|LANG|LANGUAGE|TZ|HOME|TMPDIR|IPYTHON.*|JUPYTER.*|MPLBACKEND|MALLOC_.*|GLIBC_.*)$/;

/**
 * Whether a process of a launch may start in another folder than its user's. Python makes the relative entries of PYTHONPATH
 * absolute when it starts, and an empty one is the folder it starts in.
 */
export function startsAnywhere({ spec, env: { PYTHONPATH = "" } }: Launch): boolean {
  return spec.language === "python" && (PYTHONPATH === "" || PYTHONPATH.split(delimiter).every(isAbsolute));
}

/** A process of one launch can become that of another of the same kind by a change of its folder and its environment. */
export function kindOf({ spec, argv, transport, env }: Launch): string {
  const fixed = Object.entries(env).filter(([name]) => READ_AT_START.test(name));
  fixed.sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([spec.name, spec.interruptMode, argv, transport, fixed]);
}

const MOVER = "nuthatch_spare";
const MOVE = `
import json, os, sys
def move(order, namespace):
    order = json.loads(order)
    os.chdir(order["cwd"])
    for name, before, after in order["changes"]:
        if os.environ.get(name) != before: continue
        if after is None: del os.environ[name]
        else: os.environ[name] = after
    exec(order["prepare"], namespace)
sys.modules["${MOVER}"] = move
`;

/** The code that a spare runs while nobody waits, so that its move has little to compile. */
export const READY_TO_MOVE = `exec(${pythonString(MOVE)}, {})`;

/**
 * The code that brings a process of one launch to the folder and environment of another, and then runs `prepare` for its user.
 * It leaves no name behind. What the kernel has changed itself (ipykernel: TERM, PAGER) stays as it would be in a process of its
 * own. Handed over as text, `prepare` is compiled once; a cell is read as a tree first.
 */
export function moveCode(from: Launch, to: Launch, prepare = ""): string {
  const names = [...new Set([...Object.keys(from.env), ...Object.keys(to.env)])];
  const changes = names.map((name) => [name, from.env[name] ?? null, to.env[name] ?? null]);
  const order = { changes: changes.filter(([, before, after]) => before !== after), cwd: to.cwd, prepare };
  return `__import__("sys").modules.pop("${MOVER}")(${pythonString(JSON.stringify(order))}, globals())`;
}
