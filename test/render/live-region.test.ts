import { describe, expect, test } from "bun:test";
import { LiveRegion } from "../../src/render/live-region.ts";
import { RendererRegistry } from "../../src/render/renderer-registry.ts";
import { PythonView } from "../../src/render/tools/python.ts";
import { Screen } from "../screen.ts";
import { colorContext } from "./contexts.ts";

describe("a live region", () => {
  test("draws over itself, whether it grows or shrinks, and leaves what was printed above", async () => {
    const screen = new Screen(40, 10);
    screen.write("prompt\r\n");
    const region = new LiveRegion(screen);
    region.update(["one", "two", "three"]);
    region.print(["kept"]);
    region.update(["four"]);
    region.close(["done", "漢字"]);
    expect(await screen.read()).toEqual(["prompt", "kept", "done", "漢字"]);
  });

  test("shows the last lines of more than fit, and all of them at the end", async () => {
    const screen = new Screen(20, 5);
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const region = new LiveRegion(screen);
    region.update(lines.slice(0, 9));
    expect(await screen.read()).toEqual(["line 5", "line 6", "line 7", "line 8"]);
    region.update(lines);
    region.close(lines);
    expect(await screen.read()).toEqual(lines);
  });

  test("finds its first row again after the terminal became narrower, and wider", async () => {
    const screen = new Screen(60, 12);
    screen.write("prompt\r\n");
    const region = new LiveRegion(screen);
    for (const columns of [60, 25, 80, 20, 33]) {
      screen.resize(columns, 12);
      await screen.read();
      const width = columns - 2;
      region.update([`${"x".repeat(width)}|`, "漢".repeat(Math.floor(width / 2)), "end"]);
      expect(await screen.read()).toEqual([
        "prompt",
        `${"x".repeat(width)}|`,
        "漢".repeat(Math.floor(width / 2)),
        "end",
      ]);
    }
    region.close(["done"]);
    expect(await screen.read()).toEqual(["prompt", "done"]);
  });

  test("hides the cursor while it is live and gives it back, once", async () => {
    const written: string[] = [];
    const region = new LiveRegion({ columns: 20, rows: 5, write: (text) => written.push(text) });
    region.update(["a"]);
    region.update(["a"]);
    expect(written).toHaveLength(1);
    region.close(["b"]);
    region.close(["c"]);
    region.update(["d"]);
    expect(written).toHaveLength(2);
    expect(written[0]).toContain("\x1b[?25l");
    expect(written[1]).toEndWith("\x1b[?25h");
  });

  test("shows a running call of the python tool at every width that the terminal comes to", async () => {
    const screen = new Screen(80, 70);
    const region = new LiveRegion(screen);
    let now = 0;
    const call = { cells: [{ code: "print('漢字' * 30)", title: "wide" }, { code: "1 / 0" }] };
    const view = new PythonView(call, { registry: new RendererRegistry(), now: () => now });
    const details = (status: string, output: string) => ({
      cells: [
        { ...call.cells[0], status, output, durationMs: 5 },
        { ...call.cells[1], status: "pending" },
      ],
    });
    for (const columns of [80, 31, 120, 20]) {
      screen.resize(columns, 70);
      await screen.read();
      now += 80;
      view.update({
        content: [{ type: "text", text: `${"漢字".repeat(columns)}\n` }],
        details: details("running", ""),
      });
      region.update(view.render(colorContext(columns)));
      expect((await screen.read())[0]).toStartWith("╭─ ");
      expect((await screen.read()).filter((row) => row.startsWith("╭─"))).toHaveLength(2);
    }
    view.update({ content: [], details: details("complete", "") });
    region.close(view.render(colorContext(20)));
    expect((await screen.read())[0]).toBe("╭─ ✓ [1/2] wide 5 ms");
  });
});
