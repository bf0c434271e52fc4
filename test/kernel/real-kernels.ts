import { existsSync } from "node:fs";
import { join } from "node:path";
import { VENV } from "./host.ts";

/** A kernel that the tests run for real, with the words of its language. */
export interface RealKernel {
  title: string;
  kernel: string;
  present: boolean;
  variables: Record<string, string>;
  spec?: Record<string, unknown>;
  print(text: string): string;
  /** Prints `text`, then works for longer than any test waits. */
  printAndSpin(text: string): string;
  keep(value: number): string;
  show: string;
  /** Its heartbeat runs on a thread of its own, and answers while a cell runs. */
  beatsWhileBusy: boolean;
}

const PYTHON = {
  print: (text: string) => `print("${text}")`,
  printAndSpin: (text: string) => `import time\nprint("${text}", flush=True)\nwhile True: time.sleep(0.01)`,
  keep: (value: number) => `kept = ${value}`,
  show: "print(kept)",
  beatsWhileBusy: true,
};
const inVenv = (module: string) => existsSync(join(VENV, "lib")) && has(join(VENV, "bin/python"), module);

/** ipykernel of today and of Debian, the bundled kernel, R and Bash. Those that this host lacks are skipped by name. */
export const REAL_KERNELS: RealKernel[] = [
  {
    title: "ipykernel of .venv",
    kernel: "python3",
    present: inVenv("ipykernel"),
    variables: { VIRTUAL_ENV: VENV },
    ...PYTHON,
  },
  {
    title: "ipykernel of Debian",
    kernel: "debian",
    present: has("/usr/bin/python3", "ipykernel"),
    variables: {},
    spec: { argv: ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"] },
    ...PYTHON,
  },
  { title: "the bundled kernel", kernel: "bundled", present: true, variables: {}, ...PYTHON },
  {
    title: "IRkernel",
    kernel: "ir",
    present: existsSync("/usr/share/jupyter/kernels/ir/kernel.json"),
    variables: {},
    print: (text) => `cat("${text}\\n")`,
    printAndSpin: (text) => `cat("${text}\\n"); flush(stdout()); repeat Sys.sleep(0.01)`,
    keep: (value) => `kept <- ${value}`,
    show: "kept",
    beatsWhileBusy: false,
  },
  {
    title: "bash_kernel",
    kernel: "bash",
    present: inVenv("bash_kernel"),
    variables: { VIRTUAL_ENV: VENV },
    spec: { argv: ["python", "-m", "bash_kernel", "-f", "{connection_file}"], language: "bash" },
    print: (text) => `echo ${text}`,
    printAndSpin: (text) => `echo ${text}; while true; do :; done`,
    keep: (value) => `kept=${value}`,
    show: "echo $kept",
    beatsWhileBusy: true,
  },
];

function has(python: string, module: string): boolean {
  return existsSync(python) && Bun.spawnSync([python, "-c", `import ${module}`]).success;
}
