import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Parameters, parameterSource } from "../../src/execute/parameter-source.ts";

const PYTHON = join(import.meta.dir, "../../.venv/bin/python");
const hasR = Bun.which("Rscript") !== null;

const VALUES = {
  text: "quote \" and ' back \\ slash $x `y` ü 漢 \u{1f426}\n\ttab\u0001",
  count: -3,
  share: 0.25,
  whole: { $number: "1.0" },
  big: { $number: "9007199254740993" },
  yes: true,
  nothing: null,
};

function run(argv: string[], stdin: string): string {
  const child = Bun.spawnSync(argv, { stdin: Buffer.from(stdin), stderr: "pipe" });
  return child.stdout.toString() + child.stderr.toString();
}

test.skipIf(!existsSync(PYTHON))("values arrive in Python with their types", () => {
  const parameters: Parameters = {
    ...VALUES,
    list: [1, [true, "a"], { b: null }],
    table: { "a b": 1.5, c: [] },
    none: { $number: "nan" },
  };
  const source = `${parameterSource(parameters, "python")}
import json
print(json.dumps([text, count, share, repr(whole), big, yes, nothing, list, table, repr(none)]))`;
  expect(JSON.parse(run([PYTHON, "-"], source))).toEqual([
    VALUES.text,
    -3,
    0.25,
    "1.0",
    // biome-ignore lint/correctness/noPrecisionLoss: what JavaScript makes of Python's exact number
    9007199254740993,
    true,
    null,
    [1, [true, "a"], { b: null }],
    { "a b": 1.5, c: [] },
    "nan",
  ]);
  expect(source).toContain("big = 9007199254740993\n");
});

test.skipIf(!hasR)("values arrive in R with their types", () => {
  const source = `${parameterSource({ ...VALUES, list: [1, "a"], table: { "a b": true } }, "R")}
cat(text == ${JSON.stringify(VALUES.text).replaceAll("\\u0001", "\\x01")}, count, share, whole, yes, is.null(nothing), list[[2]], table[["a b"]])`;
  expect(run(["Rscript", "-"], source)).toBe("TRUE -3 0.25 1 TRUE TRUE a TRUE");
});

test("values arrive in bash", () => {
  const { text } = VALUES;
  const source = `${parameterSource({ text, count: -3, yes: true, nothing: null }, "bash")}printf '%s|%s|%s|%s' "$text" "$count" "$yes" "$nothing"`;
  expect(run(["bash"], source)).toBe(`${text}|-3|true|`);
});

test("the cell is as Papermill writes it", () => {
  expect(parameterSource({ a: 1, b: "x", c: [1.5, null], d: { e: false } }, "Python")).toBe(
    '# Parameters\na = 1\nb = "x"\nc = [1.5, None]\nd = {"e": False}\n',
  );
});

test("what a language cannot hold is refused by name", () => {
  const refused = (parameters: Parameters, language: string) => {
    try {
      return parameterSource(parameters, language);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused({ "a b": 1 }, "python")).toBe('parameters: "a b" is no name in python');
  expect(refused({ "x\nimport os": 1 }, "python")).toContain("is no name in python");
  expect(refused({ ".x": 1 }, "R")).toBe("# Parameters\n.x = 1\n");
  expect(refused({ list: [] }, "bash")).toBe("parameters: list is a list, which the language cannot hold");
  expect(refused({ x: { $number: "1; rm" } }, "python")).toContain("which the language cannot hold");
  expect(refused(JSON.parse('{"x":1234567890123456789}'), "python")).toBe(
    "parameters: x is about 1234567890123456800, and JSON has no more of its digits",
  );
  expect(refused(JSON.parse('{"x":-9007199254740993}'), "python")).toContain("x is about -9007199254740992");
  expect(refused(JSON.parse('{"x":1234567890123456789012}'), "python")).toContain("x is about 1.2345678901234568e+21");
  expect(refused(JSON.parse('{"x":1e18,"y":9007199254740991,"z":6.02214076e23}'), "python")).toBe(
    "# Parameters\nx = 1000000000000000000\ny = 9007199254740991\nz = 6.02214076e+23\n",
  );
  expect(refused({ x: 1 }, "C#")).toBe('parameters: the notebook\'s language is "C#"');
});
