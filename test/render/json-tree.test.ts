import { describe, expect, test } from "bun:test";
import { renderJsonTree } from "../../src/render/json-tree.ts";
import { plainContext } from "./contexts.ts";

const draw = (value: unknown, expanded = false) =>
  `\n${renderJsonTree(value, plainContext(50, expanded)).join("\n")}\n`;

describe("a JSON tree", () => {
  test("shows scalars as JSON, objects and lists by their size", () => {
    expect(
      draw({ name: "x\ny", on: true, none: null, list: [1, [], {}], long: "z".repeat(90) }),
    ).toMatchInlineSnapshot(`
      "
      {5 keys}
      ├─ name: "x\\ny"
      ├─ on: true
      ├─ none: null
      ├─ list: [3 items]
      │  ├─ 0: 1
      │  ├─ 1: []
      │  └─ 2: {}
      └─ long: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…
      "
    `);
  });

  test("bounds depth and entries, and opens further when expanded", () => {
    const value = { a: { b: { c: { d: { e: 1 } } } }, many: Array.from({ length: 300 }, (_, index) => index) };
    expect(draw(value)).toMatchInlineSnapshot(`
      "
      {2 keys}
      ├─ a: {1 key}
      │  └─ b: {1 key}
      │     └─ c: {1 key}
      └─ many: [300 items]
         ├─ 0: 0
         ├─ 1: 1
         ├─ 2: 2
         ├─ 3: 3
         ├─ 4: 4
         ├─ 5: 5
         ├─ 6: 6
         ├─ 7: 7
         └─ … 292 more
      "
    `);
    expect(renderJsonTree(value, plainContext(50, true))).toHaveLength(208);
  });

  test("is quick and small for a value of any size", () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index]));
    expect(renderJsonTree(wide, plainContext(80)).length).toBeLessThan(60);
    const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
    expect(renderJsonTree(deep, plainContext(80, true)).length).toBeLessThan(20);
  });

  test("shows no control character of a key or a text", () => {
    expect(renderJsonTree({ "k\x1b[2J": "v\x9b2J\u202e" }, plainContext(40))).toEqual(["{1 key}", '└─ k: "v"']);
  });
});
