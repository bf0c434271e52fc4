import { describe, expect, test } from "bun:test";
import type { Renderer } from "../../src/render/renderer.ts";
import { RendererRegistry } from "../../src/render/renderer-registry.ts";
import { colorContext, plainContext } from "./contexts.ts";

const geo: Renderer = { type: "geo", render: () => ["one\x1b]0;t\x07", "\x1b[31mtwo\x1b[0m", "x".repeat(90)] };

describe("renderers of plugins", () => {
  test("draw their type; their lines are made safe and cut to the width", () => {
    const registry = new RendererRegistry([geo]);
    const lines = registry.render({ type: "geo", data: 1 }, colorContext(20));
    expect(lines).toEqual(["one", "\x1b[31mtwo\x1b[0m", `${"x".repeat(19)}…`]);
    expect(registry.render({ type: "geo", data: 1 }, plainContext(20))[1]).toBe("two");
  });

  test("replace earlier ones of the same type", () => {
    const registry = new RendererRegistry([geo, { type: "geo", render: () => ["mine"] }]);
    expect(registry.render({ type: "geo", data: 1 }, plainContext(20))).toEqual(["mine"]);
  });

  test("that throw or return nonsense are named and reported, and the data is shown", () => {
    const failures: string[] = [];
    const broken = {
      type: "broken",
      render: () => {
        throw new Error("no \x1b[2J");
      },
    };
    const wrong = { type: "wrong", render: () => 7 } as unknown as Renderer;
    const registry = new RendererRegistry([broken, wrong], (type, error) => failures.push(`${type}: ${error}`));
    expect(registry.render({ type: "broken", data: [1] }, plainContext(60))).toEqual([
      "The renderer of broken failed: no",
      "[1 item]",
      "└─ 0: 1",
    ]);
    expect(registry.render({ type: "wrong", data: 1 }, plainContext(60))[0]).toBe(
      "The renderer of wrong failed: it returned no list of lines",
    );
    expect(failures).toHaveLength(2);
  });

  test("may pass on the lines of a picture as they are", () => {
    const picture = "\x1b_Ga=T;AAAA\x1b\\";
    const registry = new RendererRegistry([
      {
        type: "map",
        render: (_, context) => [
          ...(context.picture?.({ data: "", mimeType: "image/png" }, 20) ?? []),
          "\x1b_Gforged\x1b\\",
        ],
      },
    ]);
    expect(registry.render({ type: "map", data: 1 }, { ...plainContext(20), picture: () => [picture] })).toEqual([
      picture,
      "",
    ]);
  });

  test("an unknown type is a tree, whatever it holds", () => {
    expect(new RendererRegistry().render({ type: "x", data: { a: 1 } }, plainContext(20))).toEqual([
      "{1 key}",
      "└─ a: 1",
    ]);
  });
});
