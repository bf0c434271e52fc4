import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function listPlugins(home: string, words: string[] = [], binary?: string) {
  const finished = await runNuthatch(["plugins", ...words, "--json"], { home, ...(binary ? { binary } : {}) });
  const printed = JSON.parse(finished.stdout) as {
    plugins: { name: string; source: string; mime: string[]; renderers: string[]; hooks: string[] }[];
    failed: { source: string; message: string; line?: number }[];
  };
  const relative = ({ source, ...rest }: { source: string }) => ({ ...rest, source: source.replace(`${home}/`, "") });
  return {
    ...finished,
    all: printed.plugins,
    plugins: printed.plugins.filter(({ source }) => source !== "built-in").map(relative),
    failed: printed.failed
      .map(({ message, ...rest }) => ({ ...relative(rest), message: message.replaceAll(home, "<home>") }))
      .sort((left, right) => left.source.localeCompare(right.source)),
  };
}

/** A notebook whose one cell displayed this bundle. */
function notebookWith(data: object): string {
  const outputs = [{ output_type: "display_data", metadata: {}, data }];
  const cell = { cell_type: "code", metadata: {}, execution_count: 1, source: "show()", outputs };
  return JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 });
}

const GEO = `
import type { Plugin } from "nuthatch/plugin";
import { count } from "./lib/count.ts";
enum Word { Features = "features" }
export default {
  name: "geojson",
  mime: [{ mime: "application/geo+json", capture: (data) => ({ type: "geojson", data }), text: (data) => \`\${count(data)} \${Word.Features}\` }],
  renderers: [{ type: "geojson", render: (output, { theme }) => [theme.style("accent", "a map of " + count(output.data) + " " + Word.Features)] }],
  hooks: { cellEnd() {} },
} satisfies Plugin;
`;
const COUNT = `export function count(data: { features: unknown[] }): number { return data.features.length; }`;

describe("plugins of the compiled binary", () => {
  test("the built-in ones are there with nothing on disk", async () => {
    using home = temporaryFolder();
    const { all, failed } = await listPlugins(home.path, ["list"]);
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["json", "image", "status", "markdown", "html"]),
    );
    expect(all.find(({ name }) => name === "json")).toEqual({
      name: "json",
      source: "built-in",
      mime: ["application/json"],
      renderers: ["json"],
      hooks: [],
    });
    expect(failed).toEqual([]);
  });

  test("a TypeScript file with a sibling import is loaded from the configuration directory and draws", async () => {
    using home = temporaryFolder();
    write(home.path, {
      "config/plugins/geo.ts": GEO,
      "config/plugins/lib/count.ts": COUNT,
      "map.ipynb": notebookWith({ "application/geo+json": { features: [1, 2, 3] }, "text/plain": "plain" }),
    });
    expect(await listPlugins(home.path)).toMatchObject({
      plugins: [
        {
          name: "geojson",
          source: "config/plugins/geo.ts",
          mime: ["application/geo+json"],
          renderers: ["geojson"],
          hooks: ["cellEnd"],
        },
      ],
      failed: [],
      exitCode: 0,
    });
    const shown = await runNuthatch(["show", "map.ipynb"], { home: home.path });
    expect(shown.stdout).toContain("a map of 3 features");
  });

  test("syntax errors, throws, endless loads and wrong shapes are named with their lines; the others work", async () => {
    using home = temporaryFolder();
    write(join(home.path, "config", "plugins"), {
      "a-good.ts": `export default { name: "good" };`,
      "awaits-forever.ts": `await new Promise(() => {});`,
      "loops-forever.js": `for (;;);`,
      "shape.ts": `export default { name: "shape", mime: {} };`,
      "syntax.ts": `export default {\n  name: "syntax"\n  mime: [],\n};`,
      "throws.ts": `\nthrow new Error("boom at load");`,
      "z-good.mjs": `import { definePlugin } from "nuthatch/plugin";\nexport default definePlugin({ name: "last" });`,
    });
    const { plugins, failed, exitCode } = await listPlugins(home.path);
    expect(exitCode).toBe(0);
    expect(plugins.map(({ source }) => source)).toEqual(["config/plugins/a-good.ts", "config/plugins/z-good.mjs"]);
    expect(failed).toMatchInlineSnapshot(`
      [
        {
          "message": "cut off after 2000 ms",
          "source": "config/plugins/awaits-forever.ts",
        },
        {
          "message": "cut off after 2000 ms",
          "source": "config/plugins/loops-forever.js",
        },
        {
          "message": ""mime" must be a list",
          "source": "config/plugins/shape.ts",
        },
        {
          "line": 3,
          "message": "Expected "}" but found "mime"",
          "source": "config/plugins/syntax.ts",
        },
        {
          "line": 2,
          "message": "boom at load",
          "source": "config/plugins/throws.ts",
        },
      ]
    `);
  });

  test("one of the same MIME type comes instead of a built-in one; when it throws the built-in one is back", async () => {
    using home = temporaryFolder();
    write(home.path, {
      "own.ts": `export default { name: "own", mime: [{ mime: "text/markdown", rank: 99, text: () => "MINE" }] };`,
      "bad.ts": `export default { name: "bad", mime: [{ mime: "text/markdown", rank: 99, text() { throw new Error("no"); } }] };`,
      "note.ipynb": notebookWith({ "text/markdown": "*theirs*" }),
    });
    const show = (plugin: string) => runNuthatch(["show", "note.ipynb", "--plugins", plugin], { home: home.path });
    expect((await show("own.ts")).stdout).toContain("MINE");
    const bad = await show("bad.ts");
    expect(bad.exitCode).toBe(0);
    expect(bad.stdout).toContain("theirs");
    expect(bad.stderr).toContain("bad.ts: MIME type text/markdown: no");
  });

  test("check names what is wrong with a file and fails; a good one passes", async () => {
    using home = temporaryFolder();
    write(home.path, { "good.ts": GEO.replace("./lib/", "./"), "count.ts": COUNT, "bad.ts": `export default 42;` });
    expect(await listPlugins(home.path, ["check", "good.ts"])).toMatchObject({ exitCode: 0, failed: [] });
    expect(await listPlugins(home.path, ["check", "bad.ts"])).toMatchObject({
      exitCode: 1,
      failed: [{ source: "bad.ts", message: "the default export must be an object" }],
    });
  });

  test("beside the binary they are loaded only where nobody else can write", async () => {
    using home = temporaryFolder();
    const binary = join(home.path, "bin", "nuthatch");
    write(home.path, { "bin/plugins/own.ts": `export default { name: "own" };` });
    copyFileSync(BINARY, binary);
    chmodSync(binary, 0o755);
    expect((await listPlugins(home.path, [], binary)).plugins).toMatchObject([{ name: "own" }]);
    chmodSync(join(home.path, "bin"), 0o777);
    const open = await listPlugins(home.path, [], binary);
    expect(open.plugins).toEqual([]);
    expect(open.failed).toEqual([
      { source: "bin/plugins", message: "not loaded, because others can write to <home>/bin" },
    ]);
  });

  test("nothing of the folder that a command runs in is loaded unless it is trusted", async () => {
    using home = temporaryFolder();
    write(home.path, {
      "project/.nuthatch/plugins/own.ts": `export default { name: "own" };`,
      "project/plugins/other.ts": `export default { name: "other" };`,
    });
    const cwd = join(home.path, "project");
    const list = async () => {
      const { stdout } = await runNuthatch(["plugins", "list", "--json"], { home: home.path, cwd });
      return (JSON.parse(stdout) as { plugins: { name: string }[] }).plugins.map(({ name }) => name);
    };
    const before = await list();
    expect(before).not.toContain("own");
    expect(before).not.toContain("other");
    expect((await runNuthatch(["trust"], { home: home.path, cwd })).exitCode).toBe(0);
    expect(await list()).toContain("own");
    expect(await list()).not.toContain("other");
  });
});
