import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN_PLUGINS } from "../../plugins/index.ts";
import { noPlugins } from "../../src/execute/call-plugins.ts";
import { loadPlugins } from "../../src/plugin/load-plugins.ts";
import { OWN_GATEWAYS } from "./gateway-places.ts";
import { KINDS, type LiveExecutor, liveExecutor, PLACES } from "./live-executor.ts";
import { showing } from "./showing.ts";

const HELPERS = [
  ...["append", "cp", "diff", "env", "find", "grep", "lines", "mv", "output", "read", "replace", "rm", "run", "stat"],
  ...["status", "tree", "write"],
];
const NAMES = "import json; print(json.dumps(sorted(name for name in globals() if name != 'json')))";

const { mime } = await loadPlugins({ builtIns: BUILT_IN_PLUGINS });
const plugins = async () => ({ ...noPlugins(), mime });

const namesOf = async (live: LiveExecutor, more = {}) => JSON.parse((await live.run([NAMES], more)).text) as string[];

for (const { place, missing, open } of [...PLACES, ...OWN_GATEWAYS]) {
  describe.skipIf(missing)(`the prelude on ${place}`, () => {
    test("puts the helpers and no other name into the namespace, and counts as no execution", async () => {
      await using live = await open();
      const without = { name: "without", settings: { ...live.settings, prelude: false } };
      const plain = await namesOf(live, without);
      expect(plain.filter((name) => HELPERS.includes(name))).toEqual([]);
      expect(await namesOf(live)).toEqual([...plain, ...HELPERS].sort());
      expect((await live.run(["print(len(In) - 1)"])).text).toBe("2\n");
    });

    test("each helper sends one status event and returns a value", async () => {
      await using live = await open({ plugins });
      const cells = [
        "assert write('a/x.txt', 'one\\ntwo\\n').read_text() == 'one\\ntwo\\n'",
        "assert append('a/x.txt', 'three\\n').name == 'x.txt'",
        "assert read('a/x.txt').split() == ['one', 'two', 'three']",
        "assert lines('a/x.txt', 2) == ['two', 'three']",
        "assert replace('a/x.txt', 'o', '0') == 2",
        "assert cp('a/x.txt', 'b.txt').exists()",
        "assert mv('b.txt', 'a/').as_posix() == 'a/b.txt'",
        "assert '+thr33' in diff(read('a/x.txt', quiet=True), '0ne\\ntw0\\nthr33\\n')",
        "assert [str(path) for path in find('*.txt')] == ['a/b.txt', 'a/x.txt']",
        "assert [match.line for match in grep('t.0', 'a/x.txt')] == [2]",
        "assert stat('a/x.txt').size == 14",
        "assert tree().count('.txt') == 2",
        "assert not rm('a/b.txt').exists()",
        "assert env('NUTHATCH_TEST', 1) == '1'",
        "result = run('echo out; echo err >&2; exit 3')\nassert (result.stdout, result.stderr, result.code) == ('out\\n', 'err\\n', 3)",
        "assert status('mine', step=1) == {'op': 'mine', 'step': 1}",
        "assert output() == []",
      ];
      const { details, isError, text } = await live.run(cells);
      expect(isError ? text : "").toBe("");
      const events = details.cells.map((cell) => cell.statusEvents.map((event) => (event as { op: string }).op));
      expect(events.map((ops) => ops.at(-1))).toEqual(
        "write append read lines replace cp mv diff find grep stat tree rm env run mine output".split(" "),
      );
      expect(events.map((ops) => ops.length)).toEqual(events.map((ops) => (ops.at(-1) === "diff" ? 2 : 1)));
      expect(details.statusEvents).toContainEqual(expect.objectContaining({ op: "read", path: "a/x.txt", lines: 3 }));
    });
  });
}

for (const { kernel, missing } of KINDS) {
  const open = async () => liveExecutor(kernel);
  describe.skipIf(missing)(`the prelude on ${kernel}`, () => {
    test("a user's own name wins, and a helper does not depend on the others", async () => {
      await using live = await open();
      await live.run(["def read(path): return 'mine'\nopen = print = None; write('a.txt', 'text')"]);
      expect((await live.run(["lines('a.txt') + [read('a.txt')]"])).text).toBe("1  text\n['text', 'mine']\n");
    });

    test("is not loaded in a notebook's session", async () => {
      await using live = await open();
      const path = join(live.cwd, "n.ipynb");
      const cell = { cell_type: "code", execution_count: null, id: "a", metadata: {}, outputs: [], source: NAMES };
      writeFileSync(path, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
      const { cwd, environment, settings } = live.request([]);
      const signal = new AbortController().signal;
      await live.executor.runNotebook({ path, cwd, environment, settings, timeout: 30 }, { signal });
      const [ran] = JSON.parse(readFileSync(path, "utf8")).cells;
      expect(ran.execution_count).toBe(1);
      const names = JSON.parse(ran.outputs[0].text.join(""));
      expect(HELPERS.filter((helper) => names.includes(helper))).toEqual([]);
    });

    test("comes back with a reset, and after the death of the kernel", async () => {
      await using live = await open();
      expect(await namesOf(live, { reset: true })).toContain("read");
      await live.run(["import os; os._exit(1)"], { settings: { ...live.settings, crashRetry: "never" } });
      await live.run(["1"]);
      expect(await namesOf(live)).toContain("read");
    });

    test("an error's traceback ends in the user's cell, or in a function that the user gave to a helper", async () => {
      await using live = await open();
      const { text } = await live.run(["read('nope')"]);
      expect(text).toContain("read('nope')");
      expect(text).toContain("FileNotFoundError: [Errno 2] No such file or directory: 'nope'");
      expect(text).not.toContain("nuthatch_prelude");
      await live.run(["write('a.txt', 'x')\ndef change(found): return undefined_name"]);
      const second = (await live.run(["replace('a.txt', 'x', change, regex=True)"])).text;
      expect(second).toContain("def change(found): return undefined_name");
      expect(second).not.toContain("nuthatch_prelude");
    });

    test("a module that does not end can be cancelled, and the session starts with the next call", async () => {
      const module = {
        path: "/modules/endless.py",
        name: "endless",
        text: "open('begun', 'w').close()\nwhile True: pass",
      };
      const found = { modules: [module], failed: [] };
      await using live = liveExecutor(kernel, { modules: () => found });
      const abort = new AbortController();
      const call = live.run(["1"], {}, { signal: abort.signal });
      while (!existsSync(join(live.cwd, "begun"))) await Bun.sleep(5);
      abort.abort();
      expect((await call).details).toMatchObject({ cancelled: true, cells: [{ status: "pending" }] });
      found.modules = [];
      expect((await live.run(["read.__name__"])).text).toBe("'read'\n");
    });

    test("a command's output is shown while it runs, and an interrupt ends all of it", async () => {
      await using live = await open();
      const { onUpdate, shown } = showing("begun");
      const abort = new AbortController();
      const code = `run("echo $$ > pid; echo begun; sleep 61.5 & sleep 61.5; echo not this")`;
      const running = live.run([code], {}, { onUpdate, signal: abort.signal });
      await shown;
      abort.abort();
      const { details, text } = await running;
      expect(details.cancelled).toBe(true);
      expect(text).toStartWith("begun\n");
      expect(text).not.toContain("\nnot this");
      const pid = readFileSync(join(live.cwd, "pid"), "utf8").trim();
      expect(() => process.kill(Number(pid), 0)).toThrow();
      const left = `run("ps -A -o args | grep -c '^sleep 61.5$'", quiet=True).stdout.strip()`;
      expect((await live.run([left])).text).toBe("'0'\n");
    });
  });
}
