import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countControls } from "../../src/notebook/control-characters.ts";
import { JsonScanner, JsonSyntaxError, knownText } from "../../src/notebook/json-scanner.ts";

/** Scans a whole text; the offset where it is wrong, or undefined. */
function errorOffset(text: string, shift = 0, careful = true): number | undefined {
  const padded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
  const bytes = padded.subarray(shift);
  const scanner = new JsonScanner(bytes, 0, careful);
  try {
    scanner.skipValue();
    scanner.finish();
    return scanner.controls === countControls(bytes) ? undefined : -1;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.offset;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789";
const TEXTS = [
  ...["", " ", "{}", "[]", "[ ]", "{ }", "[1,]", "[,1]", "[1 2]", '{"a":1,}', '{"a"}', "{a:1}", '{"a":1 "b":2}', "]"],
  ...[
    "0",
    "-0",
    "01",
    "-",
    "1.",
    ".5",
    "1.5",
    "1e5",
    "1E+5",
    "1e-07",
    "1e",
    "1e+",
    "+1",
    "0x1",
    "12345678901234567890",
  ],
  ...["true", "tru", "truely", "null", "nul", "false", "undefined", "[true,false,null]"],
  ...[
    '"',
    '"a',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12G4"',
    '"\\ud800"',
    '"\\/\\b\\f\\n\\r\\t\\\\"',
    '"\u2028\u007f"',
    "'a'",
  ],
  ...['"a\nb"', '"a\tb"', '"a\0b"', '"a\u001fb"', "\u00a0", "\ufeff1", "1\0", "[1]]", "{}{}", '{"a":[{"b":[]}]}'],
  `"${PLAIN.repeat(9)}"`,
  `"${PLAIN.repeat(9)}`,
  `"${PLAIN.repeat(9)}\n${PLAIN}"`,
  `"${PLAIN.repeat(9)}\u0001${PLAIN.repeat(4)}"`,
  `"${PLAIN.repeat(3)}\\n${PLAIN.repeat(3)}\\q${PLAIN}"`,
  `"${"é".repeat(200)} ${"漢".repeat(200)}\\u00e9${"😀".repeat(90)}"`,
  `["${PLAIN.repeat(5)}\\\\","${PLAIN.repeat(5)}"]`,
];

describe("the JSON scanner", () => {
  test("takes and refuses what JSON.parse does", () => {
    const differing = TEXTS.filter((text) =>
      [0, 1, 2, 3].some((shift) =>
        [true, false].some((careful) => (errorOffset(text, shift, careful) === undefined) !== isJson(text)),
      ),
    );
    expect(differing).toEqual([]);
  });

  test("takes and refuses what JSON.parse does, for random texts with random damage", () => {
    const damage = fc.constantFrom(
      "",
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      " ",
      "\n",
      "\0",
      "0",
      "-",
      ".",
      "e",
      "u",
      "é",
      "null",
    );
    const text = fc.json({ stringUnit: "binary", maxDepth: 4 });
    fc.assert(
      fc.property(text, fc.boolean(), fc.nat(), fc.nat({ max: 3 }), damage, (json, spaced, at, cut, extra) => {
        const laidOut = spaced ? JSON.stringify(JSON.parse(json), null, 2) : json;
        const from = at % (laidOut.length + 1);
        const broken = laidOut.slice(0, from) + extra + laidOut.slice(from + cut);
        fc.pre(broken.isWellFormed());
        for (const careful of [true, false]) expect(errorOffset(broken, 0, careful) === undefined).toBe(isJson(broken));
      }),
      { numRuns: 5000 },
    );
  });

  test("finds a wrong byte at every place of a long string", () => {
    for (let at = 0; at < 240; at++) {
      const text = `"${"x".repeat(at)}\u0002${"y".repeat(240 - at)}"`;
      expect(errorOffset(text)).toBe(at + 1);
    }
  });

  test("takes the numbers that Python writes beside JSON", () => {
    expect(errorOffset("[NaN, Infinity, -Infinity]")).toBeUndefined();
    expect(errorOffset("[-NaN]")).toBe(1);
    expect(errorOffset("[Inf]")).toBe(1);
  });

  test("counts nesting of any depth without recursion", () => {
    const scanner = new JsonScanner(Buffer.from("[".repeat(100_000) + "]".repeat(100_000)));
    scanner.skipValue();
    scanner.finish();
    expect(scanner.deepest).toBe(100_000);
  });

  test("of known JSON it finds the end of every value where a walk finds it", () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 12, stringUnit: "binary" }), fc.constant([[[[[[[[[]]]]]]]]]));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.constantFrom("", " ", "\t"), (values, indent) => {
        const bytes = Buffer.from(JSON.stringify(values, null, indent));
        expect(elementEnds(new JsonScanner(bytes, 0, false, knownText(bytes)))).toEqual(
          elementEnds(new JsonScanner(bytes)),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

/** Where the elements of an array end, and the array itself. */
function elementEnds(scanner: JsonScanner): number[] {
  const ends: number[] = [];
  scanner.open();
  for (let first = true; scanner.next(first); first = false) {
    scanner.skipValue();
    ends.push(scanner.position);
  }
  scanner.finish();
  return [...ends, scanner.position];
}
