// Plugins on disk in the compiled binary: what they do to calls.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const DISPLAY = (mime: string, data: unknown) =>
  `from IPython.display import display\ndisplay({${JSON.stringify(mime)}: ${JSON.stringify(data)}}, raw=True)`;

/** Writes a plugin into the configuration directory of a home, or into another folder. */
function writePlugin(home: string, name: string, source: string, folder = join(home, "config", "plugins")): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), source);
}

async function runCells(home: string, cells: string[], words: string[] = []) {
  return await callTool("python", { cells }, { home }, ["--in-process", "--kernel", "bundled", ...words]);
}

test("a TypeScript plugin gives a MIME type its text and its output", async () => {
  using home = temporaryFolder();
  writePlugin(
    home.path,
    "geojson.ts",
    `import type { Plugin } from "nuthatch/plugin";
     export default { name: "geojson", mime: [{ mime: "application/geo+json",
       capture: (data) => ({ type: "geojson", data }), text: (data) => \`GeoJSON, \${data.features.length} features\` }] } satisfies Plugin;`,
  );
  const { result, text } = await runCells(home.path, [DISPLAY("application/geo+json", { features: [1, 2, 3] })]);
  expect(text).toBe("GeoJSON, 3 features\n");
  expect(result.details.outputs).toEqual([
    { type: "geojson", data: { features: [1, 2, 3] }, mimeType: "application/geo+json", cell: 0 },
  ]);
});

test("each output names its cell, the display of an earlier cell is changed, and files name their artifact", async () => {
  using home = temporaryFolder();
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  const { result } = await runCells(home.path, [
    `from IPython.display import display\nhandle = display({"application/json": [1]}, raw=True, display_id="d")`,
    `display({"image/svg+xml": "<svg/>"}, raw=True)\nhandle.update({"application/json": [2]}, raw=True)`,
    `display({"image/png": "${pixel}"}, raw=True)\ndisplay({"application/json": 3}, raw=True)`,
  ]);
  const { jsonOutputs, images, outputs, cellIndexes, shownImages, cells } = result.details;
  expect(cells.map((cell: { output: string }) => cell.output)).toEqual(["[\n  2\n]\n", "SVG image\n", "3\n"]);
  expect(jsonOutputs).toEqual([[2], 3]);
  expect(cellIndexes).toEqual({ jsonOutputs: [0, 2], markdown: [], images: [2] });
  expect(images).toEqual([{ mimeType: "image/png", width: 1, height: 1, bytes: 70, artifactId: "2" }]);
  expect(shownImages).toEqual([0]);
  expect(outputs).toEqual([{ type: "svg", data: "SVG image", mimeType: "image/svg+xml", artifactId: "1", cell: 1 }]);
});

test("a plugin replaces the built-in handler of its MIME type", async () => {
  using home = temporaryFolder();
  writePlugin(
    home.path,
    "json.js",
    `export default { name: "mine", mime: [{ mime: "application/json", rank: 99, text: () => "my JSON" }] };`,
  );
  expect((await runCells(home.path, [DISPLAY("application/json", { a: 1 })])).text).toBe("my JSON\n");
});

test("what fails to load or throws later is named in diagnostics, and the call goes on", async () => {
  using home = temporaryFolder();
  writePlugin(home.path, "a-syntax.ts", "export default {\n  name: 1 1\n};");
  writePlugin(
    home.path,
    "b-throws.ts",
    `export default { name: "b", mime: [{ mime: "text/markdown", rank: 95, text() { throw new Error("no luck") } }] };`,
  );
  const { exitCode, result, text } = await runCells(home.path, [DISPLAY("text/markdown", "**bold**")]);
  expect([exitCode, text]).toEqual([0, "**bold**\n"]);
  expect(result.details.diagnostics).toMatchObject([
    { source: join(home.path, "config/plugins/a-syntax.ts"), line: 2 },
    { source: join(home.path, "config/plugins/b-throws.ts"), message: expect.stringContaining("no luck") },
  ]);
  const listed = JSON.parse((await runNuthatch(["plugins", "list", "--json"], { home: home.path })).stdout);
  expect(listed.failed).toMatchObject([{ source: join(home.path, "config/plugins/a-syntax.ts"), line: 2 }]);
});

test("a plugin cannot end the process, neither while it loads nor in a handler nor later", async () => {
  using home = temporaryFolder();
  writePlugin(home.path, "a.ts", "process.exit(3);");
  writePlugin(
    home.path,
    "b.ts",
    `export default { name: "b", mime: [{ mime: "text/markdown", rank: 95, text: () => process.exit(4) }] };`,
  );
  writePlugin(
    home.path,
    "c.ts",
    `export default { name: "c", hooks: { async cellStart() { await Bun.sleep(1); process.exit(5); } } };`,
  );
  const { exitCode, result, text } = await runCells(home.path, [DISPLAY("text/markdown", "**bold**")]);
  expect([exitCode, text]).toEqual([0, "**bold**\n"]);
  const failed: { source: string }[] = result.details.diagnostics;
  expect(failed.toSorted((one, other) => (one.source < other.source ? -1 : 1))).toMatchObject([
    { source: join(home.path, "config/plugins/a.ts"), message: expect.stringContaining("wanted to end the process") },
    { source: join(home.path, "config/plugins/b.ts"), message: expect.stringContaining("wanted to end the process") },
    { source: join(home.path, "config/plugins/c.ts"), message: expect.stringContaining("wanted to end the process") },
  ]);
});

test("hooks hear of the call, the session and its cells in their order, and change and drop outputs", async () => {
  using home = temporaryFolder();
  const log = join(home.path, "log.txt");
  writePlugin(
    home.path,
    "hooks.ts",
    `import { appendFileSync } from "node:fs";
     const note = (what: string) => appendFileSync(${JSON.stringify(log)}, what + "\\n");
     export default { name: "hooks", hooks: {
       toolCall: (event) => note("toolCall " + event.tool),
       sessionStart: (event) => note("sessionStart " + event.kernel),
       cellStart: (event) => note("cellStart " + event.index),
       cellOutput({ output }) {
         if (output.type !== "stream") return;
         return output.text.includes("secret") ? null : { ...output, text: output.text.toUpperCase() };
       },
       cellEnd: (event) => note("cellEnd " + event.index + " " + event.status),
       sessionEnd: () => note("sessionEnd"),
       toolResult: (event) => note("toolResult " + event.isError),
     } };`,
  );
  const { text } = await runCells(home.path, ["print('loud')", "print('a secret')\n1/0"]);
  expect(text).toContain("[1/2]\nLOUD\n[2/2]\n");
  expect(text).not.toContain("a secret\n---");
  expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
    "toolCall python",
    "sessionStart nuthatch",
    "cellStart 0",
    "cellEnd 0 complete",
    "cellStart 1",
    "cellEnd 1 error",
    "toolResult true",
    "sessionEnd",
  ]);
});

test("a plugin keeps a notebook from being written, by an edit and by a run", async () => {
  using home = temporaryFolder();
  const path = join(home.path, "a.ipynb");
  await callTool("notebook", { action: "create", notebook_path: path, content: "1 + 1" }, { home: home.path });
  const before = readFileSync(path, "utf8");
  writePlugin(
    home.path,
    "guard.ts",
    `export default { name: "guard", hooks: { notebookWrite: ({ content }) => JSON.parse(content).nbformat === 4 ? "not today" : true } };`,
  );
  const edit = { action: "edit", notebook_path: path, cell_index: 0, content: "2" };
  const { result, text } = await callTool("notebook", edit, { home: home.path });
  expect(result.details.code).toBe("write_refused");
  expect(text).toContain("the plugin guard refused it: not today");
  const run = await callTool("run_notebook", { notebook_path: path }, { home: home.path }, ["--in-process"]);
  expect([run.exitCode, run.result.details.saved]).toEqual([1, false]);
  expect(run.text).toContain("not today");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("a project's own plugins are loaded only where the project is trusted, from its subfolders too", async () => {
  using home = temporaryFolder();
  using project = temporaryFolder();
  const below = join(project.path, "deep", "er");
  mkdirSync(below, { recursive: true });
  writePlugin(home.path, "own.ts", `export default { name: "own" };`, join(project.path, ".nuthatch", "plugins"));
  const list = () => runNuthatch(["plugins", "--json"], { home: home.path, cwd: below });
  const names = async () => JSON.parse((await list()).stdout).plugins.map((plugin: { name: string }) => plugin.name);
  expect(await names()).not.toContain("own");
  expect((await list()).stderr).toBe(
    `nuthatch: nothing of ${realpathSync(project.path)}/.nuthatch is loaded until you trust it: nuthatch trust '${realpathSync(project.path)}'\n`,
  );
  await runNuthatch(["trust", project.path], { home: home.path });
  expect(await names()).toContain("own");
  expect((await list()).stderr).toBe("");
  await runNuthatch(["trust", "--remove", project.path], { home: home.path });
  expect(await names()).not.toContain("own");
});

test("a trusted project that is gone can be given up", async () => {
  using home = temporaryFolder();
  using place = temporaryFolder();
  const project = join(realpathSync(place.path), "gone");
  mkdirSync(project);
  const trust = (...words: string[]) => runNuthatch(["trust", ...words], { home: home.path });
  await trust(project);
  rmSync(project, { recursive: true });
  expect(await trust("--remove", project)).toMatchObject({ exitCode: 0, stdout: `${project} is no longer trusted\n` });
  expect((await trust("--list")).stdout).toBe("");
});

test("a word too many for the list of plugins is told as such", async () => {
  using home = temporaryFolder();
  const { exitCode, stderr } = await runNuthatch(["plugins", "list", "a.ts"], { home: home.path });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('unexpected word "a.ts"')]);
});

test("plugins check says what is wrong with a plugin that is being written", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "bad.ts"), "export default { nam: 'x' };");
  writeFileSync(join(home.path, "good.ts"), "export default { name: 'x' };");
  const check = (file: string) => runNuthatch(["plugins", "check", file], { home: home.path, cwd: home.path });
  expect((await check("good.ts")).exitCode).toBe(0);
  const bad = await check("bad.ts");
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toContain("bad.ts");
  expect((await check("none.ts")).exitCode).toBe(1);
});
