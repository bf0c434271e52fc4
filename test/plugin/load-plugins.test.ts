import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BUILT_IN_PLUGINS } from "../../plugins/index.ts";
import { findNamedPlugins, findPlugins } from "../../src/plugin/find-plugins.ts";
import { type LoadedPlugins, loadPlugins } from "../../src/plugin/load-plugins.ts";
import { createTheme } from "../../src/render/theme.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nuthatch-plugins-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

async function load(files: Record<string, string>): Promise<LoadedPlugins> {
  write(files);
  const found = findNamedPlugins(home);
  return loadPlugins({ builtIns: BUILT_IN_PLUGINS, ...found });
}

function failures(loaded: LoadedPlugins) {
  return loaded.failed.map((failure) => ({
    ...failure,
    source: failure.source.slice(home.length + 1),
    message: failure.message.replaceAll(home, "<home>"),
  }));
}

const onDisk = (loaded: LoadedPlugins) => loaded.plugins.filter((plugin) => plugin.source !== "built-in");

describe("loading plugins", () => {
  test("a good one is in use, with its types, renderers and hooks", async () => {
    const loaded = await load({
      "geo.ts": `
        import type { Plugin } from "nuthatch/plugin";
        export default {
          name: "geo",
          mime: [{ mime: "application/geo+json", capture: (data) => ({ type: "geo", data }), text: (data) => \`\${data.features.length} features\` }],
          renderers: [{ type: "geo", render: (output, context) => ["geo " + output.data.features.length] }],
          hooks: { cellEnd() {} },
        } satisfies Plugin;`,
    });
    expect(failures(loaded)).toEqual([]);
    expect(onDisk(loaded)).toEqual([
      {
        name: "geo",
        source: join(home, "geo.ts"),
        mime: ["application/geo+json"],
        renderers: ["geo"],
        hooks: ["cellEnd"],
      },
    ]);
    const captured = loaded.mime.capture({ "application/geo+json": { features: [1, 2] } });
    expect(captured).toMatchObject({
      text: "2 features",
      outputs: [{ type: "geo", mimeType: "application/geo+json" }],
    });
    const context = { width: 80, expanded: false, theme: createTheme({ colors: "none" }) };
    const renderer = loaded.renderers.findLast(({ type }) => type === "geo");
    expect(renderer?.render({ type: "geo", data: { features: [1] } }, context)).toEqual(["geo 1"]);
  });

  test("TypeScript with siblings, enums, values of the API and CommonJS load", async () => {
    const loaded = await load({
      "a.ts": `import { word } from "./helper.ts"; enum Kind { One = "one" } export default { name: word + Kind.One };`,
      "helper.ts": `export const word: string = "a-";`,
      "b.ts": `import { definePlugin, htmlToMarkdown } from "nuthatch/plugin"; export default definePlugin({ name: htmlToMarkdown("<b>b</b>") });`,
      "c.cjs": `module.exports = { name: "c" };`,
      "d/index.ts": `import helper from "./deep/part.ts"; export default { name: helper };`,
      "d/deep/part.ts": `export default "d";`,
      "e.js": `export default { name: await Promise.resolve("e") };`,
      "f.ts": `await new Promise((done) => setTimeout(done, 20)); export default { name: "f" };`,
      "_draft.ts": `throw new Error("never loaded");`,
      "types.d.ts": `export default 1;`,
    });
    expect(failures(loaded)).toEqual([]);
    expect(onDisk(loaded).map((plugin) => plugin.name)).toEqual(["a-one", "**b**", "c", "d", "e", "f"]);
  });

  test("what does not load is named with its line and takes nobody down", async () => {
    const loaded = await load({
      "good.ts": `export default { name: "good" };`,
      "syntax.ts": `export default {\n  name: "syntax",,\n};`,
      "throws.ts": `\n\nthrow new Error("boom at load");`,
      "imports.ts": `import { gone } from "./gone.ts";\nexport default { name: gone };`,
      "empty.ts": `export const name = "no default";`,
      "number.ts": `export default 42;`,
      "shape.ts": `export default { name: "shape", mime: [{ mime: "a/b", text: "no function" }] };`,
      "typo.ts": `export default { name: "typo", renderer: [] };`,
      "hook.ts": `export default { name: "hook", hooks: { onCell() {} } };`,
    });
    expect(onDisk(loaded).map((plugin) => plugin.name)).toEqual(["good"]);
    expect(failures(loaded).sort((left, right) => left.source.localeCompare(right.source))).toMatchInlineSnapshot(`
      [
        {
          "message": "it has no default export: export default { name: ... } satisfies Plugin",
          "source": "empty.ts",
        },
        {
          "message": ""hooks.onCell" is no hook; the hooks are sessionStart, sessionEnd, cellStart, cellOutput, cellEnd, notebookWrite, toolCall, toolResult",
          "source": "hook.ts",
        },
        {
          "message": "Cannot find module './gone.ts' imported from <home>/imports.ts",
          "source": "imports.ts",
        },
        {
          "message": "the default export must be an object",
          "source": "number.ts",
        },
        {
          "message": ""mime[0].text" must be a function",
          "source": "shape.ts",
        },
        {
          "line": 2,
          "message": "Expected identifier but found ","",
          "source": "syntax.ts",
        },
        {
          "line": 3,
          "message": "boom at load",
          "source": "throws.ts",
        },
        {
          "message": ""renderer" is no part of a plugin; the parts are name, mime, renderers, hooks",
          "source": "typo.ts",
        },
      ]
    `);
  });

  test("one that never finishes loading is cut off, an endless loop too", async () => {
    const started = performance.now();
    const loaded = await load({
      "awaits.ts": `await new Promise(() => {}); export default { name: "awaits" };`,
      "good.ts": `export default { name: "good" };`,
      "loops.ts": `for (;;);`,
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(onDisk(loaded).map((plugin) => plugin.name)).toEqual(["good"]);
    expect(failures(loaded).toSorted((left, right) => left.source.localeCompare(right.source))).toEqual([
      { source: "awaits.ts", message: "cut off after 2000 ms" },
      { source: "loops.ts", message: "cut off after 2000 ms" },
    ]);
  });

  test("a handler that throws or never ends is cut off and named, and the built-in one is back", async () => {
    const loaded = await load({
      "throws.ts": `export default { name: "throws", mime: [{ mime: "application/json", rank: 99,\n  text() { throw new Error("boom"); } }] };`,
      "loops.ts": `export default { name: "loops", mime: [{ mime: "text/html", rank: 99, text() { for (;;); } }] };`,
    });
    expect(loaded.mime.capture({ "application/json": { a: 1 } }).text).toBe('{\n  "a": 1\n}');
    expect(loaded.mime.capture({ "text/html": "<i>x</i>" }).text).toBe("*x*");
    expect(failures(loaded)).toEqual([
      { source: "throws.ts", message: "MIME type application/json: boom", line: 2 },
      { source: "loops.ts", message: "MIME type text/html: cut off after 1000 ms" },
    ]);
  });

  test("a renderer that throws or never ends is cut off and named", async () => {
    const reported: string[] = [];
    write({
      "a.ts": `export default { name: "a", renderers: [{ type: "a", render() { throw new Error("no"); } }, { type: "b", render() { for (;;); } }] };`,
    });
    const loaded = await loadPlugins({
      builtIns: [],
      ...findNamedPlugins(home),
      onFailure: ({ message }) => reported.push(message),
    });
    const context = { width: 80, expanded: false, theme: createTheme({ colors: "none" }) };
    for (const renderer of loaded.renderers) expect(() => renderer.render({ type: "a", data: 1 }, context)).toThrow();
    expect(reported).toEqual(["renderer a: no", "renderer b: cut off after 1000 ms"]);
  });

  test("a plugin on disk replaces a built-in handler of the same MIME type", async () => {
    const loaded = await load({
      "json.ts": `export default { name: "my-json", mime: [{ mime: "application/json", capture: (data) => ({ type: "mine", data }), text: () => "mine" }] };`,
    });
    expect(loaded.mime.capture({ "application/json": 1 })).toEqual({
      text: "mine",
      textMime: "application/json",
      outputs: [{ type: "mine", data: 1, mimeType: "application/json" }],
    });
  });

  test("the example of the README loads and does what it says", async () => {
    const readme = await Bun.file(join(import.meta.dir, "../../plugins/README.md")).text();
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] as string;
    const loaded = await load({ "geojson.ts": example });
    expect(failures(loaded)).toEqual([]);
    const bundle = { "text/plain": "p", "application/geo+json": { features: [1, 2, 3] } };
    expect(loaded.mime.capture(bundle).text).toBe("GeoJSON, 3 features");
    const event = { session: "s", cwd: "/", index: 0, title: null, code: "" };
    const output = { type: "stream" as const, name: "stdout", text: "token=abc123 ok" };
    expect(loaded.hooks.changeOutput({ ...event, output })).toEqual({ ...output, text: "token=*** ok" });
  });
});

describe("finding plugins", () => {
  test("places count in their order, and one that is missing is a failure only when it was named", () => {
    write({
      "bin/nuthatch": "",
      "bin/plugins/a.ts": "",
      "config/plugins/b.ts": "",
      "named/c.ts": "",
      "single.ts": "",
      "project/.nuthatch/plugins/d.ts": "",
    });
    const found = findPlugins({
      executable: join(home, "bin/nuthatch"),
      configDirectory: join(home, "config"),
      settings: ["named", "single.ts", "missing"],
      cwd: home,
      trustedProject: join(home, "project"),
    });
    expect(found.files.map((file) => file.slice(home.length + 1))).toEqual([
      "bin/plugins/a.ts",
      "config/plugins/b.ts",
      "named/c.ts",
      "single.ts",
      "project/.nuthatch/plugins/d.ts",
    ]);
    expect(found.failed).toMatchObject([{ source: join(home, "missing") }]);
    const nothing = { configDirectory: join(home, "none"), settings: [], cwd: home };
    expect(findPlugins(nothing)).toEqual({ files: [], failed: [] });
  });

  test.each(["bin/nuthatch", "bin", "bin/plugins"])(
    "nothing beside the binary is loaded when others can write to %s",
    (open) => {
      write({ "bin/nuthatch": "", "bin/plugins/a.ts": "" });
      chmodSync(join(home, open), 0o777);
      const executable = join(home, "bin/nuthatch");
      const found = findPlugins({ executable, configDirectory: home, settings: [], cwd: home });
      expect(found.files).toEqual([]);
      expect(found.failed).toEqual([
        { source: join(home, "bin/plugins"), message: `not loaded, because others can write to ${join(home, open)}` },
      ]);
    },
  );
});
