import { expect, test } from "bun:test";
import { type OptionSpec, parseArguments } from "../../src/cli/arguments.ts";

const OPTIONS: OptionSpec[] = [
  { name: "content", value: "text", summary: "" },
  { name: "code", short: "c", value: "code", summary: "" },
  { name: "json", summary: "" },
  { name: "parameter", short: "p", value: "name", second: "value", summary: "" },
];

test.each(["007", "1.0", "-1", "--json", "-", "", "1e400", "true", "--"])("the value %p arrives as typed", (value) => {
  expect(parseArguments(["--content", value], OPTIONS).values).toEqual({ content: value });
  expect(parseArguments([`--content=${value}`], OPTIONS).values).toEqual({ content: value });
  expect(parseArguments(["-c", value], OPTIONS).values).toEqual({ code: value });
});

test("numbers with a sign and a lone dash are positional words", () => {
  expect(parseArguments(["edit", "-1", "-", "--json", "-.5"], OPTIONS)).toEqual({
    positionals: ["edit", "-1", "-", "-.5"],
    values: {},
    pairs: {},
    switches: new Set(["json"]),
  });
});

test("everything after -- is positional", () => {
  expect(parseArguments(["--", "--json", "-x"], OPTIONS).positionals).toEqual(["--json", "-x"]);
});

test("a missing value, a value for a switch and an unknown option are refused", () => {
  expect(() => parseArguments(["--content"], OPTIONS)).toThrow("option --content needs a value");
  expect(() => parseArguments(["--json=yes"], OPTIONS)).toThrow("option --json takes no value");
  expect(() => parseArguments(["--jsn"], OPTIONS)).toThrow("unknown option --jsn");
  expect(() => parseArguments(["-odd.ipynb"], OPTIONS)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("stands after --") }),
  );
});

test("an option with two arguments takes both as typed, each time that it is given", () => {
  const words = ["-p", "x", "-1", "a.ipynb", "--parameter", "y", "--json", "--parameter=z", "007"];
  const parsed = parseArguments(words, OPTIONS);
  expect([parsed.positionals, parsed.pairs]).toEqual([
    ["a.ipynb"],
    {
      parameter: [
        ["x", "-1"],
        ["y", "--json"],
        ["z", "007"],
      ],
    },
  ]);
  expect(() => parseArguments(["-p", "x"], OPTIONS)).toThrow("option -p needs a value: -p <name> <value>");
});
