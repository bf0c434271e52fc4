import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNuthatch, temporaryFolder } from "../nuthatch.ts";

const PYTHON = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const withVenv = test.skipIf(!existsSync(PYTHON));

/** Starts a kernel by its name, runs a cell and prints its result: what any front end does. */
const FRONT_END = `
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="nuthatch")
shown = []
client.execute_interactive("6 * 7", timeout=20, output_hook=lambda message: shown.append(message))
print([m["content"]["data"]["text/plain"] for m in shown if m["msg_type"] == "execute_result"])
client.stop_channels(); manager.shutdown_kernel()
`;

test("doctor shows interpreters, kernels, broken specs and hints, and withheld variables by name only", async () => {
  using home = temporaryFolder();
  const broken = join(home.path, "data", "kernels", "broken");
  mkdirSync(broken, { recursive: true });
  writeFileSync(join(broken, "kernel.json"), "{");
  const env = { JUPYTER_PATH: join(home.path, "data"), OPENAI_API_KEY: "sk-very-secret" };
  const text = await runNuthatch(["doctor"], { home: home.path, env });
  expect(text.exitCode).toBe(0);
  expect(text.stdout).toContain("OPENAI_API_KEY");
  expect(text.stdout).toContain(`! ${broken}/kernel.json: `);
  expect(text.stdout).toContain("Python 3 (Nuthatch)");
  expect(text.stdout).not.toContain("sk-very-secret");
  const { stdout } = await runNuthatch(["doctor", "--json"], { home: home.path, env });
  expect(JSON.parse(stdout)).toMatchObject({
    withheldVariables: expect.arrayContaining(["OPENAI_API_KEY"]),
    daemon: { running: false },
  });
});

test("doctor on a host without Python says so, gives the hint and ends with status 1", async () => {
  using home = temporaryFolder();
  const env = { PATH: home.path, VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined };
  const run = await runNuthatch(["doctor"], { home: home.path, env });
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain("no Python works here: install python3");
});

withVenv("an installed kernelspec starts the bundled kernel from jupyter_client", async () => {
  using home = temporaryFolder();
  const env = { XDG_DATA_HOME: join(home.path, "share"), JUPYTER_DATA_DIR: undefined };
  const folder = join(home.path, "share", "jupyter", "kernels", "nuthatch");
  const install = await runNuthatch(["kernelspec", "install", "--json"], { home: home.path, env });
  expect(JSON.parse(install.stdout)).toEqual({ installed: folder, replaced: false });
  const again = await runNuthatch(["kernelspec", "install", "--json"], { home: home.path, env });
  expect(JSON.parse(again.stdout)).toEqual({ installed: folder, replaced: true });
  const run = Bun.spawnSync([PYTHON, "-c", FRONT_END], { env: { ...process.env, ...env, HOME: home.path } });
  expect(run.stdout.toString()).toBe("['42']\n");
});
