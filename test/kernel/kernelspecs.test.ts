import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKernelSpecs } from "../../src/kernel/find-kernelspecs.ts";
import { createTestHost, runCell, sendCell, VENV } from "./host.ts";

const hasVenv = existsSync(join(VENV, "bin/python"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nuthatch-specs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function addSpec(place: string, name: string, content: unknown): string {
  const path = join(folder, place, "kernels", name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "kernel.json"), typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("kernelspecs", () => {
  test("of JUPYTER_PATH win over the interpreter's, the user's and the environment's, in this order", () => {
    const places = ["one", "two", "prefix/share/jupyter", "home/.local/share/jupyter", "env/share/jupyter"];
    const env = { JUPYTER_PATH: `${join(folder, "one")}:${join(folder, "two")}`, HOME: join(folder, "home") };
    for (const [index, place] of places.entries())
      for (const name of places.slice(0, index + 1).keys()) addSpec(place, `spec${name}`, { argv: [place] });
    const variables = { ...env, VIRTUAL_ENV: join(folder, "env") };
    const { specs } = findKernelSpecs(variables, join(folder, "prefix"));
    expect(places.map((_, index) => specs.get(`spec${index}`)?.argv[0])).toEqual(places);
  });

  test("follow JUPYTER_DATA_DIR and XDG_DATA_HOME", () => {
    addSpec("data", "a", { argv: ["a"] });
    addSpec("xdg/jupyter", "b", { argv: ["b"] });
    const names = (env: Record<string, string>) => [
      ...findKernelSpecs({ HOME: folder, ...env }, undefined).specs.keys(),
    ];
    expect(names({ JUPYTER_DATA_DIR: join(folder, "data") })).toContain("a");
    expect(names({ XDG_DATA_HOME: join(folder, "xdg") })).toContain("b");
  });

  test("are read in full, with names in lower case, and what is broken is named with its reason", () => {
    const path = addSpec("one", "My-Kernel.2", {
      argv: ["kernel", "{connection_file}"],
      display_name: "Mine",
      language: "q",
      env: { A: 1 },
      interrupt_mode: "message",
      metadata: { debugger: true },
    });
    addSpec("one", "plain", { argv: ["plain"] });
    addSpec("one", "bad name", { argv: ["x"] });
    const noJson = addSpec("one", "nojson", "{");
    const noArgv = addSpec("one", "noargv", { argv: "python" });
    mkdirSync(join(folder, "one/kernels/empty"));
    const { specs, broken } = findKernelSpecs({ JUPYTER_PATH: join(folder, "one"), HOME: folder }, undefined);
    expect(specs.get("my-kernel.2")).toEqual({
      name: "my-kernel.2",
      displayName: "Mine",
      language: "q",
      argv: ["kernel", "{connection_file}"],
      env: { A: "1" },
      interruptMode: "message",
      metadata: { debugger: true },
      resourceDir: path,
    });
    expect(specs.get("plain")).toMatchObject({ displayName: "plain", language: "", interruptMode: "signal", env: {} });
    expect(specs.has("bad name")).toBe(false);
    expect(broken).toEqual([
      { path: join(noArgv, "kernel.json"), reason: "argv is not a list of words" },
      { path: join(noJson, "kernel.json"), reason: expect.any(String) },
    ]);
  });
});

describe.skipIf(!hasVenv)("a kernelspec's kernel (needs .venv)", () => {
  const ask = "import sys, os; print(sys.executable, os.environ.get('PATH', '').split(':')[0], sep='|')";

  test("python3 and bare python are the chosen interpreter, whatever their file says", async () => {
    await using host = createTestHost({ VIRTUAL_ENV: VENV });
    host.addSpec("python3", { argv: ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"] });
    host.addSpec("bare", { argv: ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"] });
    for (const name of ["python3", "bare", "PYTHON3"]) {
      const kernel = await host.start(name);
      expect((await runCell(kernel, ask)).text).toBe(`${join(VENV, "bin/python3")}|${join(VENV, "bin")}\n`);
      await kernel.shutdown();
    }
  });

  test("that names another interpreter in full gets that one", async () => {
    await using host = createTestHost({});
    const python = join(VENV, "bin/python");
    host.addSpec("full", { argv: [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"] });
    const kernel = await host.start("full");
    expect((await runCell(kernel, "import sys; print(sys.executable)")).text).toBe(`${python}\n`);
  });

  test("has the spec's env with the variables in it, its resource folder, its prefix, and our pid as its parent", async () => {
    await using host = createTestHost({ VIRTUAL_ENV: VENV, WHO: "me" });
    const program =
      "import sys; from ipykernel.kernelapp import launch_new_instance as run; given = sys.argv[1:3]; " +
      "sys.argv[1:3] = []; import builtins; builtins.given = given; run()";
    host.addSpec("rich", {
      argv: ["python", "-c", program, "{resource_dir}", "{prefix}/x", "-f", "{connection_file}"],
      env: { HELLO: `hello \${WHO} $WHO \${NOBODY} $$5` },
    });
    const kernel = await host.start("rich");
    const run = await runCell(kernel, "import os; print(given, os.environ['HELLO'], os.environ['JPY_PARENT_PID'])");
    const resources = join(host.home, "jupyter/kernels/rich");
    expect(run.text).toBe(`['${resources}', '${VENV}/x'] hello me me \${NOBODY} $5 ${process.pid}\n`);
  });

  test("is interrupted by a message where the spec says so", async () => {
    await using host = createTestHost({ VIRTUAL_ENV: VENV });
    const argv = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"];
    host.addSpec("message", { argv, interrupt_mode: "message" });
    const kernel = await host.start("message");
    const requests: string[] = [];
    kernel.subscribe((message) => {
      if (message.channel === "control") requests.push(message.header.msg_type);
    });
    const cell = sendCell(kernel, "import time\nprint('spinning', flush=True)\nwhile True: time.sleep(0.01)");
    await cell.output("spinning");
    await kernel.interrupt();
    expect((await cell.done).status).toBe("error");
    await kernel.shutdown();
    expect(requests).toContain("interrupt_reply");
  });

  test("over TCP whose port was taken in the meantime is started once more with others", async () => {
    await using host = createTestHost({});
    const tries = join(host.home, "tries");
    const script = `echo try >> ${tries}; [ $(wc -l < ${tries}) -gt 1 ] || { echo Address already in use >&2; exit 1; }
      exec ${join(VENV, "bin/python")} -m ipykernel_launcher -f "$0"`;
    host.addSpec("tcp", { argv: ["sh", "-c", script, "{connection_file}"], language: "q" });
    const kernel = await host.start("tcp");
    expect((await runCell(kernel, "print(6 * 7)")).text).toBe("42\n");
    expect(await Bun.file(tries).text()).toBe("try\ntry\n");
  });

  test("over TCP, for languages whose kernels may not know sockets of the file system", async () => {
    await using host = createTestHost({});
    const python = join(VENV, "bin/python");
    host.addSpec("tcp", {
      argv: ["env", python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
      language: "q",
    });
    const kernel = await host.start("tcp");
    const ports = "from ipykernel.connect import get_connection_info as i; print(i(unpack=True)['transport'])";
    expect((await runCell(kernel, ports)).text).toBe("tcp\n");
  });
});
