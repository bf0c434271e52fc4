import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findInterpreter, findInterpreters, type InterpreterSearch } from "../../src/python/find-interpreter.ts";
import { activateInterpreter } from "../../src/python/kernel-environment.ts";

/** A real interpreter, not a shim that chooses one. */
const PYTHON = Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"]).stdout.toString().trim();
const VENV = join(import.meta.dir, "../../.venv");
const hasVenv = existsSync(join(VENV, "bin/python"));

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "nuthatch-python-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function search(more: Partial<InterpreterSearch> = {}, variables: Record<string, string> = {}): InterpreterSearch {
  const env = { PATH: `${dirname(PYTHON)}:/usr/bin:/bin`, HOME: folder, ...variables };
  return { cwd: folder, cachePath: join(folder, "state", "interpreters.json"), env, ...more };
}

/** An environment as `python -m venv` makes it, without its packages. Returns its interpreter. */
function makeVenv(name: string): string {
  const bin = join(folder, name, "bin");
  mkdirSync(join(folder, name, "lib"), { recursive: true });
  mkdirSync(bin);
  const home = realpathSync(PYTHON);
  writeFileSync(join(folder, name, "pyvenv.cfg"), `home = ${dirname(home)}\ninclude-system-site-packages = false\n`);
  symlinkSync(home, join(bin, "python3"));
  return join(bin, "python3");
}

/** A program in place of an interpreter. Returns its path. */
function makeProgram(name: string, script: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
}

async function chosen(more: Partial<InterpreterSearch> = {}, variables: Record<string, string> = {}) {
  const { path, source } = await findInterpreter(search(more, variables));
  return { path, source };
}

describe("the interpreter", () => {
  test("is the first of: setting, VIRTUAL_ENV, CONDA_PREFIX, .venv, venv, python3 on PATH", async () => {
    expect(await chosen()).toEqual({ path: PYTHON, source: "python3 on PATH" });
    const venv = makeVenv("venv");
    expect(await chosen()).toEqual({ path: venv, source: "venv" });
    const dotVenv = makeVenv(".venv");
    expect(await chosen()).toEqual({ path: dotVenv, source: ".venv" });
    const conda = makeVenv("conda");
    const withConda = { CONDA_PREFIX: join(folder, "conda") };
    expect(await chosen({}, withConda)).toEqual({ path: conda, source: "CONDA_PREFIX" });
    const active = makeVenv("active");
    const withBoth = { ...withConda, VIRTUAL_ENV: join(folder, "active") };
    expect(await chosen({}, withBoth)).toEqual({ path: active, source: "VIRTUAL_ENV" });
    const setting = makeVenv("set");
    expect(await chosen({ setting: "set/bin/python3" }, withBoth)).toEqual({ path: setting, source: "setting python" });
    expect(await chosen({ setting: "./set" }, withBoth)).toEqual({ path: setting, source: "setting python" });
    expect(await chosen({ setting: "python3" }, withBoth)).toEqual({ path: PYTHON, source: "setting python" });
  });

  test("is python where PATH has no python3", async () => {
    symlinkSync(realpathSync(PYTHON), join(folder, "python"));
    expect(await chosen({}, { PATH: folder })).toEqual({ path: join(folder, "python"), source: "python on PATH" });
  });

  test("passes over an environment that is gone, broken or silent", async () => {
    makeProgram(".venv/bin/python3", "echo no such library >&2; exit 127");
    makeProgram("venv/bin/python3", "exit 0");
    expect(await chosen({}, { VIRTUAL_ENV: join(folder, "gone") })).toEqual({
      path: PYTHON,
      source: "python3 on PATH",
    });
    const { failed } = await findInterpreters(search());
    expect(failed).toEqual([
      { path: join(folder, ".venv/bin/python3"), source: ".venv", reason: "exit code 127, no such library" },
      { path: join(folder, "venv/bin/python3"), source: "venv", reason: "exit code 0" },
    ]);
  });

  test("passes over a Python that is too old, and says so where there is no other", async () => {
    makeProgram("bin/python3", `echo 'nuthatch-probe:{"version": "2.7.18", "searched": []}'`);
    const error = await findInterpreter(search({}, { PATH: join(folder, "bin") })).catch((reason) => reason);
    expect(error).toMatchObject({ code: "python_not_found" });
    expect(error.message).toBe(
      `No Python that works:\n${join(folder, "bin/python3")} (python3 on PATH): Python 2.7.18 is older than 3.8`,
    );
  });

  test("that a setting names is not passed over when it does not work", async () => {
    const error = await findInterpreter(search({ setting: "/nowhere/python" })).catch((reason) => reason);
    expect(error).toMatchObject({ code: "python_not_found" });
    expect(error.message).toContain("/nowhere/python (setting python): ");
  });

  test("that never answers is given up, and its search ends with its caller", async () => {
    const pid = join(folder, "pid");
    makeProgram(".venv/bin/python3", `echo $$ > ${pid}; exec /bin/sleep 1000`);
    const stop = new AbortController();
    const found = findInterpreter(search({ signal: stop.signal }, { PATH: "/nowhere" })).catch((reason) => reason);
    while (!existsSync(pid) || statSync(pid).size === 0) await Bun.sleep(5);
    stop.abort(new Error("given up"));
    expect((await found).message).toBe("given up");
  });

  test("is asked once; then its answer is kept until it, or a folder that it imports from, changes", async () => {
    const asked = join(folder, "asked");
    const library = join(folder, "library");
    mkdirSync(library);
    const facts = { executable: "x", version: "3.12.1", prefix: "/", environment: false, ipykernel: null };
    const answer = JSON.stringify({ ...facts, searched: [library] });
    const path = makeProgram("bin/python3", `echo once >> ${asked}; echo 'nuthatch-probe:${answer}'`);
    const times = async () => (await Bun.file(asked).text()).split("\n").length - 1;
    const env = { PATH: join(folder, "bin") };
    await findInterpreter(search({}, env));
    await findInterpreter(search({}, env));
    expect(await times()).toBe(1);
    expect(statSync(join(folder, "state/interpreters.json")).mode & 0o777).toBe(0o600);
    utimesSync(library, 1, 1);
    await findInterpreter(search({}, env));
    expect(await times()).toBe(2);
    utimesSync(path, 1, 1);
    await findInterpreter(search({}, env));
    expect(await times()).toBe(3);
    await findInterpreter(search({}, { ...env, PYTHONPATH: "/elsewhere" }));
    expect(await times()).toBe(4);
    writeFileSync(join(folder, "state/interpreters.json"), '{"broken');
    await findInterpreter(search({}, env));
    expect(await times()).toBe(5);
  });

  test("that a shim stands for is the one that the folder chooses, and is run itself", async () => {
    const versions = [makeVenv("one"), makeVenv("two")];
    const script = `exec ${join(folder, "$(cat .python-version)", "bin/python3")} "$@"`;
    const shim = makeProgram("shims/python3", script);
    const env = { PATH: `${dirname(shim)}:/usr/bin:/bin` };
    const ask = async (name: string) => {
      const cwd = join(folder, name);
      mkdirSync(cwd, { recursive: true });
      return (await findInterpreter(search({ cwd }, env))).executable;
    };
    mkdirSync(join(folder, "a"));
    writeFileSync(join(folder, "a/.python-version"), "one");
    mkdirSync(join(folder, "b"));
    writeFileSync(join(folder, "b/.python-version"), "two");
    expect([await ask("a"), await ask("b"), await ask("a")]).toEqual([versions[0]!, versions[1]!, versions[0]!]);
    writeFileSync(join(folder, "a/.python-version"), "two");
    expect(await ask("a")).toBe(versions[1]!);
  });

  test.skipIf(!hasVenv)("says its version, prefix and ipykernel (needs .venv)", async () => {
    const found = await findInterpreter(search({ setting: VENV }));
    expect(found.version).toMatch(/^3\.\d+\.\d+$/);
    expect(found.ipykernel).toMatch(/^\d+\.\d+\.\d+/);
    expect(realpathSync(found.prefix)).toBe(realpathSync(VENV));
    expect(found.environment).toBe(true);
    expect((await findInterpreter(search({ setting: makeVenv("empty") }))).ipykernel).toBeNull();
  });
});

describe("the environment of an interpreter", () => {
  test("puts an environment's bin first on PATH, as its activation does", async () => {
    const python = makeVenv("env");
    const interpreter = await findInterpreter(search({ setting: python }));
    const bin = dirname(python);
    const env = activateInterpreter({ PATH: `/usr/bin:${bin}`, PYTHONHOME: "/x", VIRTUAL_ENV: "/other" }, interpreter);
    expect(env).toEqual({ PATH: `${bin}:/usr/bin`, VIRTUAL_ENV: join(folder, "env") });
  });

  test("leaves the environment of a system's interpreter alone", async () => {
    const interpreter = await findInterpreter(search({ setting: realpathSync(PYTHON) }));
    expect(activateInterpreter({ PATH: "/usr/bin", PYTHONHOME: "/x" }, interpreter)).toEqual({
      PATH: "/usr/bin",
      PYTHONHOME: "/x",
    });
  });
});
