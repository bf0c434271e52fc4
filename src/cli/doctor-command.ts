import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { findDaemon } from "../daemon/open-daemon.ts";
import type { DaemonStatus } from "../daemon/wire.ts";
import type { Interpreter } from "../python/find-interpreter.ts";
import { VERSION } from "../version.ts";
import { EXIT, type Invocation } from "./command.ts";
import { findKernels, type KernelListing, kernelLines } from "./kernelspec-command.ts";
import { writeJson, writeOut } from "./standard-output.ts";

/** What was found on this host. `hints` say what to do about what is missing; a value of a variable is never shown. */
interface Findings {
  version: string;
  bun: string;
  platform: string;
  directories: { name: string; path: string; writable: boolean }[];
  interpreters: (Pick<Interpreter, "path" | "source" | "version" | "ipykernel"> & { chosen: boolean })[];
  failedInterpreters: { path: string; source: string; reason: string }[];
  kernels: KernelListing;
  withheldVariables: string[];
  daemon: { running: boolean; pid?: number; version?: string };
  hints: string[];
}

/** `nuthatch doctor`: what this host has and a hint for what is missing. Starts no kernel and no daemon. */
export async function runDoctor(invocation: Invocation): Promise<number> {
  const findings = await examine(invocation);
  if (invocation.json) writeJson(findings);
  else writeOut(describe(findings));
  return findings.interpreters.length > 0 ? EXIT.done : EXIT.failed;
}

async function examine(invocation: Invocation): Promise<Findings> {
  const { cwd, directories, settings, environment } = invocation;
  const [{ findInterpreters }, { filterEnvironment }] = await Promise.all([
    import("../python/find-interpreter.ts"),
    import("../python/filter-environment.ts"),
  ]);
  const kernels = await findKernels(invocation);
  const { env, withheld } = filterEnvironment(environment, settings.environment);
  const cachePath = join(directories.state, "interpreters.json");
  const setting = settings.python === undefined ? {} : { setting: settings.python };
  const { found, failed } = await findInterpreters({ cwd, env, cachePath, ...setting });
  const findings = {
    version: VERSION,
    bun: Bun.version,
    platform: `${process.platform} ${process.arch}`,
    directories: Object.entries(directories).map(([name, path]) => ({ name, path, writable: isWritable(path) })),
    interpreters: found.map(({ path, source, version, ipykernel }, index) => {
      return { path, source, version, ipykernel, chosen: index === 0 };
    }),
    failedInterpreters: failed,
    kernels,
    withheldVariables: withheld,
    daemon: await askDaemon(directories.runtime),
  };
  return { ...findings, hints: giveHints(findings) };
}

function isWritable(path: string): boolean {
  const nearest = existsSync(path) ? path : dirname(path);
  if (!existsSync(nearest)) return nearest !== path && isWritable(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function askDaemon(runtime: string): Promise<Findings["daemon"]> {
  const connection = await findDaemon(runtime).catch(() => undefined);
  if (connection === undefined) return { running: false };
  const { pid, version } = (await connection.request("status", {})) as DaemonStatus;
  connection.close();
  return { running: true, pid, version };
}

function giveHints(findings: Omit<Findings, "hints">): string[] {
  const hints: string[] = [];
  const [chosen] = findings.interpreters;
  if (chosen === undefined) hints.push("no Python works here: install python3, or name one by --python");
  else if (chosen.ipykernel === null)
    hints.push(
      `${chosen.path} has no ipykernel: the bundled kernel is used (for all magics: ${chosen.path} -m pip install ipykernel)`,
    );
  for (const { name, path, writable } of findings.directories)
    if (!writable)
      hints.push(`the ${name} directory ${path} cannot be written: set NUTHATCH_HOME to a folder of your own`);
  if (findings.withheldVariables.length > 0)
    hints.push('kernels do not get the withheld variables; to hand one on: --environment \'{"allow":["NAME"]}\'');
  return hints;
}

function describe(findings: Findings): string {
  const { interpreters, failedInterpreters, directories, daemon } = findings;
  const sections: [string, string[]][] = [
    ["Nuthatch", [`${findings.version} (Bun ${findings.bun}, ${findings.platform})\n`]],
    [
      "Directories",
      directories.map(
        ({ name, path, writable }) => `${name.padEnd(8)} ${path}${writable ? "" : " (cannot be written)"}\n`,
      ),
    ],
    [
      "Python",
      [
        ...interpreters.map(interpreterLine),
        ...failedInterpreters.map(({ path, source, reason }) => `! ${path} (${source}): ${reason}\n`),
      ],
    ],
    ["Kernels", kernelLines(findings.kernels)],
    ["Withheld from kernels", findings.withheldVariables.map((name) => `${name}\n`)],
    ["Daemon", [daemon.running ? `running, pid ${daemon.pid}, version ${daemon.version}\n` : "not running\n"]],
    ["Hints", findings.hints.map((hint) => `${hint}\n`)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return shown.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}`).join("")}`).join("\n");
}

function interpreterLine({ path, source, version, ipykernel, chosen }: Findings["interpreters"][number]): string {
  const kernel = ipykernel === null ? "no ipykernel" : `ipykernel ${ipykernel}`;
  return `${chosen ? "*" : " "} ${path} (${source}): Python ${version}, ${kernel}\n`;
}
