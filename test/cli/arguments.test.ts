import { expect, test } from "bun:test";
import { type OptionSpec, parseArguments } from "../../src/cli/arguments.ts";

const OPTIONS: OptionSpec[] = [
  { name: "content", value: "text", summary: "" },
  { name: "code", short: "c", value: "code", summary: "" },
  { name: "json", summary: "" },
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
});
