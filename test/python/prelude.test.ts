import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { carryPrelude } from "../../src/python/prelude.ts";
import { preludeSources } from "../../src/python/prelude-sources.ts";
import { HELPERS } from "../../src/tools/helper-list.ts";
import { helperFolder, OLDEST_PYTHON } from "./prelude-runner.ts";

describe("files", () => {
  test("write makes folders and tells bytes; append adds; both take text and bytes alone", async () => {
    using folder = helperFolder();
    const { stdout, value, events } = await folder.run(
      "write('a/b.txt', 'ä\\n')\nappend('a/b.txt', b'x')\n[str(write('a/b.txt', 'y')), open('a/b.txt').read()]",
    );
    expect(stdout).toBe("wrote a/b.txt (3 bytes)\nappended 1 byte to a/b.txt\nwrote a/b.txt (1 byte)\n");
    expect(value).toEqual(["a/b.txt", "y"]);
    expect(events).toEqual([
      { op: "write", path: "a/b.txt", created: true, bytes: 3 },
      { op: "append", path: "a/b.txt", created: false, bytes: 1 },
      { op: "write", path: "a/b.txt", created: false, bytes: 1 },
    ]);
    expect((await folder.run("write('c', {})")).error).toStartWith("TypeError: content must be str or bytes, not dict");
  });

  test("read keeps line ends, takes a part by lines, and prints the beginning of what is long", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("crlf.txt"), "a\r\nb\r\n");
    writeFileSync(folder.file("long.txt"), Array.from({ length: 1000 }, (_, index) => `line ${index + 1}\n`).join(""));
    expect((await folder.run("read('crlf.txt')")).value).toBe("a\r\nb\r\n");
    expect((await folder.run("read('long.txt', 10, 2)")).value).toBe("line 10\nline 11\n");
    expect((await folder.run("read('long.txt', offset=-1)")).value).toBe("line 1000\n");
    const { stdout, events } = await folder.run("len(read('long.txt'))");
    expect(stdout.split("\n").slice(49)).toEqual(["line 50", "[… 950 more lines]", ""]);
    expect(events).toEqual([{ op: "read", path: "long.txt", characters: 8893, lines: 1000 }]);
    expect((await folder.run("read('long.txt', quiet=True)")).stdout).toBe("");
  });

  test("a helper that fails says so in its event too; what is no text says where", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("a.bin"), new Uint8Array([97, 255]));
    const missing = await folder.run("read('nope')");
    expect(missing.error).toStartWith("FileNotFoundError");
    expect(missing.events).toEqual([{ op: "read", path: "nope", error: missing.error }]);
    expect((await folder.run("read('a.bin')")).error).toStartWith("ValueError: a.bin is not text in utf-8 (byte 1)");
  });

  test("lines numbers what it prints and counts from the end where it should; a text will do for a file", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("a.txt"), "a\nb\nc\nd\n");
    expect(await folder.run("lines('a.txt', 2, 3)")).toMatchObject({ value: ["b", "c"], stdout: "2  b\n3  c\n" });
    expect((await folder.run("lines('a.txt', -2)")).value).toEqual(["c", "d"]);
    expect((await folder.run("lines('x\\ny')")).value).toEqual(["x", "y"]);
  });

  test("rm needs recursive for a folder that holds something, and does not follow links", async () => {
    using folder = helperFolder();
    mkdirSync(folder.file("full/inner"), { recursive: true });
    writeFileSync(folder.file("full/file"), "");
    symlinkSync(folder.file("full"), folder.file("link"));
    expect((await folder.run("rm('full')")).error).toBe(
      "IsADirectoryError: full is a folder with files in it; recursive=True removes them",
    );
    expect((await folder.run("rm('link')")).stdout).toBe("removed link\n");
    expect(readdirSync(folder.file("full"))).toEqual(["file", "inner"]);
    await folder.run("rm('full', recursive=True)");
    expect(readdirSync(folder.path)).toEqual([]);
    expect((await folder.run("rm('full')")).error).toStartWith("FileNotFoundError: there is no full to remove");
    expect((await folder.run("rm('full', missing_ok=True)")).stdout).toBe("full was not there\n");
  });

  test("mv and cp go into a folder that is there, make the one that is not, and overwrite no folder", async () => {
    using folder = helperFolder();
    mkdirSync(folder.file("d/a"), { recursive: true });
    writeFileSync(folder.file("a"), "1");
    expect((await folder.run("mv('a', 'd')")).error).toStartWith("FileExistsError: the folder d/a is there already");
    expect((await folder.run("str(cp('a', 'new/'))")).value).toBe("new/a");
    expect((await folder.run("str(mv('a', 'new/deep/b'))")).value).toBe("new/deep/b");
    expect((await folder.run("str(cp('new', 'd'))")).value).toBe("d/new");
    expect(readFileSync(folder.file("d/new/deep/b"), "utf8")).toBe("1");
    expect((await folder.run("cp('new', 'new/deep/c')")).error).toStartWith("ValueError: cannot copy the folder new");
  });

  test("stat tells of a link itself, and of a file its size", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("a"), "123");
    symlinkSync("a", folder.file("l"));
    expect((await folder.run("[stat('a').size, stat('a').type, stat('l').type, stat('l').target]")).value).toEqual([
      3,
      "file",
      "symlink",
      "a",
    ]);
  });

  test("replace tells how often, takes patterns and lists of files, and shows what has changed", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("a"), "x=1\r\nx=2\r\n");
    writeFileSync(folder.file("b"), "x=3");
    const { value, stdout, events } = await folder.run("replace(['a', 'b'], r'^x=(\\d)', r'y=\\1', regex=True)");
    expect(value).toBe(3);
    expect(readFileSync(folder.file("a"), "utf8")).toBe("y=1\r\ny=2\r\n");
    expect(stdout).toContain("-x=3\n\\ No newline at end of file\n+y=3\n");
    expect(events).toEqual([{ op: "replace", paths: ["a", "b"], count: 3, files: 2 }]);
    expect(await folder.run("replace('a', 'nope', '')")).toMatchObject({ value: 0, stdout: "0 replacements in a\n" });
    expect((await folder.run("replace('a', 'y', 'z', count=1)")).value).toBe(1);
    expect((await folder.run("replace('a', '', 'z')")).error).toBe("ValueError: the text to replace is empty");
  });

  test("diff compares files and texts", async () => {
    using folder = helperFolder();
    writeFileSync(folder.file("a"), "1\n2\n");
    expect((await folder.run("diff('a', '1\\n3\\n')")).value).toBe("--- a\n+++ text\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
    expect(await folder.run("diff('a', 'a')")).toMatchObject({ value: "", stdout: "no differences\n" });
  });
});

describe("search", () => {
  const project = () => {
    const folder = helperFolder();
    for (const inside of ["src/lib", ".git", "node_modules/x", "env"])
      mkdirSync(folder.file(inside), { recursive: true });
    const files = [
      "src/a.py",
      "src/lib/b.py",
      "src/lib/c.js",
      ".git/d.py",
      "node_modules/x/e.py",
      "env/pyvenv.cfg",
      "env/f.py",
    ];
    for (const file of files) writeFileSync(folder.file(file), "def f():\n    return 1\n");
    writeFileSync(folder.file("src/z.bin"), new Uint8Array([0, 100, 101, 102]));
    return folder;
  };

  test("find leaves out what nobody means, and knows ** and {,}", async () => {
    using folder = project();
    expect((await folder.run("find('*.py')")).value).toEqual(["src/a.py", "src/lib/b.py"]);
    expect((await folder.run("find('src/**/*.{py,js}')")).value).toEqual(["src/a.py", "src/lib/b.py", "src/lib/c.js"]);
    expect((await folder.run("find('*', 'src', type='folder')")).value).toEqual(["src/lib"]);
    expect((await folder.run("find('*.py', hidden=True)")).value).toHaveLength(5);
    expect((await folder.run("find('.git/*')")).value).toEqual([".git/d.py"]);
    expect((await folder.run("find('[!a].py', 'src')")).value).toEqual(["src/lib/b.py"]);
    expect((await folder.run("find('*.rs')")).stdout).toBe("nothing matches *.rs below .\n");
  });

  test("grep finds lines in files, folders and lists, and shows those around", async () => {
    using folder = project();
    expect(await folder.run("[(m.line, m.text) for m in grep('return', 'src', glob='*.py')]")).toMatchObject({
      value: [
        [2, "    return 1"],
        [2, "    return 1"],
      ],
      stdout: "src/a.py:2:     return 1\nsrc/lib/b.py:2:     return 1\n",
      events: [{ op: "grep", pattern: "return", path: "src", count: 2, files: 2 }],
    });
    expect((await folder.run("grep('RETURN', find('*.js', quiet=True), ignore_case=True, context=1)")).stdout).toBe(
      "src/lib/c.js-1- def f():\nsrc/lib/c.js:2:     return 1\n",
    );
    expect((await folder.run("len(grep('f()', literal=True))")).value).toBe(3);
  });

  test("tree shows levels, folders with a slash, and what it leaves out", async () => {
    using folder = project();
    expect((await folder.run("tree(depth=2)")).stdout).toBe(
      [".", "├── env/ …", "├── node_modules/ …", "└── src/", "    ├── a.py", "    ├── lib/ …", "    └── z.bin"]
        .concat("4 folders, 2 files", "")
        .join("\n"),
    );
    expect((await folder.run("tree('nope')")).error).toBe("NotADirectoryError: nope is no folder");
  });
});

describe("commands", () => {
  test("run gives output, errors and code apart, and raises only where it is told to check", async () => {
    using folder = helperFolder();
    const { value, stdout, stderr, events } = await folder.run(
      "r = run('echo out; echo err >&2; exit 3')\n[r.stdout, r.stderr, r.code, r.ok, bool(r), r.lines]",
    );
    expect(value).toEqual(["out\n", "err\n", 3, false, false, ["out"]]);
    expect([stdout, stderr]).toEqual(["out\n[exit code 3]\n", "err\n"]);
    expect(events).toMatchObject([{ op: "run", command: "echo out; echo err >&2; exit 3", code: 3 }]);
    expect((await folder.run("run('exit 3', check=True)")).error).toStartWith("CalledProcessError");
    expect((await folder.run("run(['echo', 'a b', '$HOME'], quiet=True).stdout")).value).toBe("a b $HOME\n");
    expect((await folder.run("run('cat; pwd', input='in\\n', cwd='/', env={'X': 1}).stdout")).value).toBe("in\n/\n");
    expect((await folder.run("run('kill -9 $$').code")).value).toBe(-9);
    expect((await folder.run("run(['no-such-program'])")).error).toStartWith("FileNotFoundError");
  });

  test("run ends what takes longer than its timeout, children too, and keeps what it had printed", async () => {
    using folder = helperFolder();
    const { value, stdout } = await folder.run(
      "r = run('echo before; sleep 62.5 & sleep 62.5', timeout=0.5)\nlist((r.stdout, r.code, r.timed_out, run('pgrep -fx \"sleep 62.5\"', quiet=True).code))",
    );
    expect(value).toEqual(["before\n", 124, true, 1]);
    expect(stdout).toBe("before\n[timed out after 0.5 s]\n");
  });

  test("run does not wait for a job in the background, and takes all output of what ends fast", async () => {
    using folder = helperFolder();
    const { value } = await folder.run(
      "import time; began = time.monotonic()\nr = run('sleep 5 & echo started')\n[r.stdout, time.monotonic() - began < 4, len(run('head -c 3000000 /dev/zero | tr \"\\\\0\" x', quiet=True).stdout)]",
    );
    expect(value).toEqual(["started\n", true, 3_000_000]);
  });

  test("run ends a command whose interrupt comes while it is being started", async () => {
    using folder = helperFolder();
    const interrupted = `import sys
module = sys.modules["nuthatch_prelude.processes"]
def interrupt(*_): raise KeyboardInterrupt
module._Reader = interrupt
try: run("trap '' INT; sleep 47.25 & sleep 47.25")
except KeyboardInterrupt: pass
import subprocess
subprocess.run(["ps", "-A", "-o", "args"], stdout=subprocess.PIPE).stdout.decode().count("\\nsleep 47.25\\n")`;
    expect(await folder.run(interrupted)).toMatchObject({ value: 0, error: null });
  });

  test("env gets, sets and unsets, and prints no secrets", async () => {
    using folder = helperFolder();
    const env = { MY_TOKEN: "hidden", PLAIN: "shown" };
    const { value, stdout, events } = await folder.run(
      "[env('PLAIN'), env('MY_TOKEN'), env('NEW', 1), env('NEW', None)]",
      {
        env,
      },
    );
    expect(value).toEqual(["shown", "hidden", "1", null]);
    expect(stdout).toBe("PLAIN=shown\nMY_TOKEN=***\nNEW=1\nNEW is not set\n");
    expect(events.map(({ action }) => action)).toEqual(["get", "get", "set", "unset"]);
    const all = await folder.run("env()['PLAIN']", { env });
    expect(all.value).toBe("shown");
    expect(all.stdout).toContain("MY_TOKEN=***\n");
  });
});

describe("output", () => {
  const session = () => {
    const folder = helperFolder();
    mkdirSync(folder.file("mine"));
    mkdirSync(folder.file("index"));
    writeFileSync(folder.file("mine/3.txt"), "one\ntwo\nthree\n");
    writeFileSync(
      folder.file("mine/4.json"),
      JSON.stringify({ rows: [{ name: "a" }, { name: "b" }], "odd key": null }),
    );
    writeFileSync(folder.file("mine/5.png"), new Uint8Array([137, 80, 255]));
    writeFileSync(folder.file("elsewhere.txt"), "recorded");
    writeFileSync(folder.file("other.txt"), "another session's");
    writeFileSync(folder.file("index/9.json"), JSON.stringify({ id: "9", path: folder.file("other.txt") }));
    const artifacts = [{ id: "7", path: folder.file("elsewhere.txt"), mimeType: "text/plain" }];
    writeFileSync(folder.file("session.json"), JSON.stringify({ name: "mine", artifacts }));
    const env = { ARTIFACTS: folder.file("mine"), PI_SESSION_FILE: folder.file("session.json") };
    return { ...folder, [Symbol.dispose]: folder[Symbol.dispose], ask: (code: string) => folder.run(code, { env }) };
  };

  test("reads an artifact by its id, from the session's folder, its file, or another session", async () => {
    using folder = session();
    expect((await folder.ask("output(3)")).value).toBe("one\ntwo\nthree\n");
    expect((await folder.ask("output('artifact://3', offset=2, limit=1)")).value).toBe("two\n");
    expect((await folder.ask("output('7', 9)")).value).toEqual(["recorded", "another session's"]);
    expect((await folder.ask("len(output(5))")).value).toBe(3);
    expect((await folder.ask("[entry['id'] for entry in output()]")).value).toEqual(["3", "4", "5", "7"]);
    expect((await folder.ask("output(8)")).error).toBe(
      "FileNotFoundError: there is no artifact 8; this session has 3, 4, 5, 7",
    );
  });

  test("queries JSON, and says what is there instead", async () => {
    using folder = session();
    const answers = [
      [".rows[0].name", "a"],
      ["$.rows[*].name", ["a", "b"]],
      ["rows[-1]", { name: "b" }],
      ["rows[1:]", [{ name: "b" }]],
      ["['odd key']", null],
      [".rows | length", 2],
      [". | keys", ["rows", "odd key"]],
    ] as const;
    const queries = JSON.stringify(answers.map(([query]) => query));
    const { value, events } = await folder.ask(`[output(4, query=query) for query in ${queries}]`);
    expect(value).toEqual(answers.map(([, answer]) => answer));
    expect(events).toHaveLength(answers.length);
    expect((await folder.ask("output(4, query='.rows[5]')")).error).toBe(
      "LookupError: there is no entry 5 in .rows; it has 2 entries",
    );
    expect((await folder.ask("output(4, query='.row')")).error).toContain("keys are rows, odd key");
    expect((await folder.ask("output(4, query='.rows[')")).error).toStartWith("ValueError: the query '.rows['");
    expect((await folder.ask("output(3, query='.a')")).error).toStartWith("ValueError: artifact 3 is no JSON");
  });
});

describe("the prelude", () => {
  test("has all its files in the binary", () => {
    const files = readdirSync(join(import.meta.dir, "../../src/python/prelude")).filter((name) => name.endsWith(".py"));
    expect(Object.keys(preludeSources)).toEqual(files.sort());
  });

  test("has the helpers and parameters that the tool's description lists, and no others", async () => {
    using folder = helperFolder();
    const listed = Object.values(HELPERS)
      .flat()
      .map((helper) => helper.replace(/[[\]*]|\)$/g, "").split("("));
    const code = `import inspect
own = [value for value in list(globals().values()) if getattr(value, "__module__", None) and value.__module__.startswith("nuthatch_prelude.")]
{value.__name__: list(inspect.signature(value).parameters) for value in own}`;
    const found = (await folder.run(code)).value as Record<string, string[]>;
    expect(listed.map(([name]) => name as string).sort()).toEqual(Object.keys(found).sort());
    for (const [name = "", parameters = ""] of listed) {
      const known = (found[name] ?? []).map((parameter) => (parameter === "ids" ? "id" : parameter));
      expect(known).toEqual(expect.arrayContaining(parameters.split(", ").filter((word) => word !== "")));
    }
  });

  test("loads from text alone, and where the user has modules with the names of the library's", async () => {
    using folder = helperFolder();
    for (const name of ["shutil", "difflib", "subprocess", "pathlib"]) writeFileSync(folder.file(`${name}.py`), "1/0");
    const { value, diagnostics } = await folder.run("diff('a\\n', 'b\\n') != ''", { place: carryPrelude() });
    expect([value, diagnostics]).toEqual([true, []]);
  });

  test.skipIf(OLDEST_PYTHON === undefined)("runs on Python 3.8", async () => {
    using folder = helperFolder();
    const code =
      "write('a', 'x\\n')\ntree()\nfind()\ngrep('x')\nreplace('a', 'x', 'y')\nmv('a', 'b')\nstat('b')\n[run('cat b').stdout, sys.version_info[:2]]";
    const { value, error } = await folder.run(`import sys\n${code}`, { python: OLDEST_PYTHON as string });
    expect([value, error]).toEqual([["y\n", [3, 8]], null]);
  });

  test("values survive pickling as what they stand for, and events hold only what JSON can", async () => {
    using folder = helperFolder();
    const code =
      "import pickle\nwrite('a', 'x')\n[type(pickle.loads(pickle.dumps(one))).__name__ for one in (read('a'), find('a'), stat('a'), write('b', ''))]";
    expect((await folder.run(code)).value).toEqual(["str", "list", "dict", "PosixPath"]);
    const odd = await folder.run("status('odd', nan=float('nan'), path=open, items={1}, text='\\udc80')");
    expect(odd.events).toEqual([{ op: "odd", nan: "nan", path: "<built-in function open>", items: [1], text: "?" }]);
  });

  test("modules bring their public names; a broken one is a diagnostic with its line", async () => {
    using folder = helperFolder();
    const modules = [
      { path: "/m/good.py", name: "good", text: "import math\n_own = 2\ndef area(r): return math.pi * r ** _own\n" },
      {
        path: "/m/listed.py",
        name: "listed",
        text: "__all__ = ['shout']\ndef shout(): return run('echo hi', quiet=True).stdout.upper()\nother = 1\n",
      },
      { path: "/m/raises.py", name: "raises", text: "first = 1\n\n1/0\n" },
      { path: "/m/syntax.py", name: "syntax", text: "\ndef" },
      { path: "/m/exits.py", name: "exits", text: "import sys\nsys.exit(3)" },
    ];
    const code =
      "[round(area(1), 2), shout(), sorted(name for name in ('math', 'first', 'other', '_own') if name in globals())]";
    const { value, diagnostics } = await folder.run(code, { modules });
    expect(value).toEqual([3.14, "HI\n", ["math"]]);
    expect(diagnostics).toEqual([
      { source: "/m/raises.py", message: "ZeroDivisionError: division by zero", line: 3 },
      { source: "/m/syntax.py", message: "SyntaxError: invalid syntax", line: 2 },
      { source: "/m/exits.py", message: "SystemExit: 3", line: 2 },
    ]);
  });
});
