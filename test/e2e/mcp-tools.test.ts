import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Progress } from "@modelcontextprotocol/client";
import { connectMcp, type McpClientOptions, type McpConnection, PROTOCOLS } from "../mcp-client.ts";
import { temporaryFolder } from "../nuthatch.ts";

const NOTEBOOK = {
  cells: [{ cell_type: "code", id: "one", metadata: {}, source: ["x = 1"], outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};
/** Every test here runs the kernel in the box, so that it needs no Python package. */
const connect = (options: McpClientOptions) =>
  connectMcp({ ...options, env: { ...options.env, NUTHATCH_KERNEL: "bundled" } });

/** Calls `python` with one cell and returns the text of the result. */
async function python({ client }: McpConnection, code: string): Promise<string> {
  const result = await client.callTool({ name: "python", arguments: { cells: [{ code }] } });
  return result.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("");
}

test.each(PROTOCOLS)("python keeps its variables between calls (%s)", async (protocol) => {
  using home = temporaryFolder();
  await using connection = await connect({ home: home.path, protocol });
  await python(connection, "x = 20");
  const result = await connection.client.callTool({ name: "python", arguments: { cells: [{ code: "x + 2" }] } });
  expect(result.content).toEqual([{ type: "text", text: "22\n" }]);
  expect([result.isError, result.structuredContent]).toEqual([false, undefined]);
  const failed = await connection.client.callTool({ name: "python", arguments: { cells: [{ code: "1 / 0" }] } });
  expect(failed.isError).toBe(true);
  expect(JSON.stringify(failed.content)).toContain("ZeroDivisionError");
  expect(connection.stderr()).toBe("");
});

test("the slips of models are met, nonsense is refused in words that a model can act on", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "a.ipynb"), JSON.stringify(NOTEBOOK, null, 1));
  await using connection = await connect({ home: home.path });
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await connection.client.callTool({ name, arguments: args });
    return `${result.isError}: ${(result.content[0] as { text: string }).text}`;
  };
  expect(await call("python", { cells: "6 * 7", timeout: "20" })).toBe("false: 42\n");
  expect(await call("python", { cells: ["y = 1", "y"] })).toStartWith("false: [1/2]");
  expect(await call("notebook", { action: "edit", path: "a.ipynb", index: "0", source: "x = 2" })).toStartWith(
    "false: ",
  );
  expect(JSON.parse(await Bun.file(join(home.path, "a.ipynb")).text()).cells[0].source).toEqual(["x = 2"]);
  expect(await call("python", { cells: [] })).toStartWith("true: Error: ");
  expect(await call("python", { cells: "1", timeout: "soon" })).toMatch(/^true: Error: timeout must be number/);
  expect(await call("notebook", { action: "edit", notebook_pth: "a.ipynb" })).toContain("did you mean notebook_path?");
});

test("details are structured content with --structured alone", async () => {
  using home = temporaryFolder();
  await using connection = await connect({ home: home.path, words: ["--structured"] });
  const call = (code: string) => connection.client.callTool({ name: "python", arguments: { cells: [{ code }] } });
  expect((await call("print(1)")).structuredContent).toMatchObject({ cells: [{ output: "1\n", status: "complete" }] });
});

test("an image is an image block, with no structured content beside it", async () => {
  using home = temporaryFolder();
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const output = { output_type: "display_data", data: { "image/png": png }, metadata: {} };
  const notebook = { ...NOTEBOOK, cells: [{ ...NOTEBOOK.cells[0], outputs: [output] }] };
  writeFileSync(join(home.path, "a.ipynb"), JSON.stringify(notebook, null, 1));
  await using connection = await connect({ home: home.path, words: ["--structured"] });
  const read = (outputs: string) =>
    connection.client.callTool({ name: "notebook", arguments: { action: "read", notebook_path: "a.ipynb", outputs } });
  const full = await read("full");
  expect(full.content).toContainEqual({ type: "image", data: png, mimeType: "image/png" });
  expect(full.structuredContent).toBeUndefined();
  expect((await read("summary")).structuredContent).toMatchObject({ totalCells: 1 });
});

test.concurrent("a notebook is edited, run and read, and its progress names the cell", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "a.ipynb"), JSON.stringify(NOTEBOOK, null, 1));
  await using connection = await connect({ home: home.path });
  const call = async (name: string, args: Record<string, unknown>, onprogress?: (progress: Progress) => void) => {
    const parameters = { name, arguments: { notebook_path: "a.ipynb", ...args } };
    const result = await connection.client.callTool(parameters, onprogress === undefined ? {} : { onprogress });
    expect(result.isError).toBe(false);
    return (result.content[0] as { text: string }).text;
  };
  const slow = "import time\ntime.sleep(5.5)\nprint('slow', x)";
  await call("notebook", { action: "insert", cell_id: "one", content: slow });
  const messages: (string | undefined)[] = [];
  expect(await call("run_notebook", {}, ({ message }) => messages.push(message))).toContain("slow 1");
  expect(messages).toContainEqual(expect.stringMatching(/^running cell 1 for \d s$/));
  expect(await call("notebook", { action: "read", outputs: "full" })).toContain("slow 1");
}, 30_000);

test.concurrent("a host that asks for progress hears output as it comes and a sign of life", async () => {
  using home = temporaryFolder();
  const code = "import time\nprint('first', flush=True)\ntime.sleep(5.5)\nprint('last', flush=True)";
  const run = async (protocol: (typeof PROTOCOLS)[number]) => {
    await using connection = await connect({ home: home.path, protocol });
    const reports: { progress: number; message?: string }[] = [];
    const result = await connection.client.callTool(
      { name: "python", arguments: { cells: [{ code }] } },
      { onprogress: (progress) => reports.push(progress) },
    );
    expect(result.content).toEqual([{ type: "text", text: "first\nlast\n" }]);
    expect(reports[0]!.message).toBe("first");
    expect(reports[1]!.message).toMatch(/^running for \d s$/);
    expect(reports.every((report, index) => index === 0 || report.progress > reports[index - 1]!.progress)).toBe(true);
  };
  await Promise.all(PROTOCOLS.map(run));
}, 30_000);

test.each(PROTOCOLS)("a cancelled call interrupts the kernel, which keeps its state (%s)", async (protocol) => {
  using home = temporaryFolder();
  await using connection = await connect({ home: home.path, protocol });
  await python(connection, "kept = 1");
  const abort = new AbortController();
  const code = "import time\nprint('started', flush=True)\ntime.sleep(600)";
  const call = connection.client.callTool(
    { name: "python", arguments: { cells: [{ code }], timeout: 600 } },
    { signal: abort.signal, onprogress: () => abort.abort() },
  );
  await expect(call).rejects.toThrow();
  expect(await python(connection, "kept + 1")).toBe("2\n");
});

test.each(PROTOCOLS)(
  "50 calls in flight, of two tools and two sessions, are all answered right (%s)",
  async (protocol) => {
    using home = temporaryFolder();
    writeFileSync(join(home.path, "a.ipynb"), JSON.stringify(NOTEBOOK, null, 1));
    await using connection = await connect({ home: home.path, protocol });
    const call = async (number: number) => {
      const cell = { code: `${number} * ${number}` };
      const insert = { action: "insert", notebook_path: "a.ipynb", content: `${number}` };
      const [name, args] =
        number % 5 === 0
          ? ["notebook", insert]
          : ["python", { cells: [cell], session: `s${number % 2}`, timeout: 600 }];
      const result = await connection.client.callTool({
        name: name as string,
        arguments: args as Record<string, unknown>,
      });
      expect(result.isError).toBe(false);
      if (name === "python") expect(result.content).toEqual([{ type: "text", text: `${number * number}\n` }]);
    };
    await Promise.all(Array.from({ length: 50 }, (_, number) => call(number)));
    expect(JSON.parse(await Bun.file(join(home.path, "a.ipynb")).text()).cells.length).toBe(11);
  },
);

test.each(PROTOCOLS)(
  "relative paths start at --cwd, else at the client's first root that is here (%s)",
  async (protocol) => {
    using home = temporaryFolder();
    const folder = (name: string) => {
      const path = join(home.path, name);
      mkdirSync(path);
      return path;
    };
    const [own, root, named] = [folder("own"), folder("a root"), folder("named")];
    const roots = [pathToFileURL(join(home.path, "gone")).href, pathToFileURL(root).href];
    const where = async (options: Partial<McpClientOptions>) => {
      await using connection = await connect({ home: home.path, cwd: own, protocol, ...options });
      return await python(connection, "import os; print(os.getcwd())");
    };
    expect(await where({})).toBe(`${own}\n`);
    expect(await where({ roots: [] })).toBe(`${own}\n`);
    expect(await where({ roots })).toBe(`${root}\n`);
    expect(await where({ roots, words: ["--cwd", "../named"] })).toBe(`${named}\n`);
  },
);

test("roots that change are asked for again", async () => {
  using home = temporaryFolder();
  const roots = [pathToFileURL(home.path).href];
  await using connection = await connect({ home: home.path, roots });
  const code = "import os; print(os.getcwd())";
  expect(await python(connection, code)).toBe(`${home.path}\n`);
  const next = join(home.path, "next");
  mkdirSync(next);
  roots[0] = pathToFileURL(next).href;
  await connection.client.sendRootsListChanged();
  expect(await python(connection, code)).toBe(`${next}\n`);
});

test("a message larger than 10 MB comes through, and so does a result while the host reads slowly", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "a.ipynb"), JSON.stringify(NOTEBOOK, null, 1));
  await using connection = await connect({ home: home.path, env: { NUTHATCH_MAX_OUTPUT_BYTES: "0" } });
  const content = `x = "${"ä".repeat(6_000_000)}"`;
  const edit = { action: "edit", notebook_path: "a.ipynb", cell_index: 0, content };
  expect((await connection.client.callTool({ name: "notebook", arguments: edit })).isError).toBe(false);
  expect(JSON.parse(await Bun.file(join(home.path, "a.ipynb")).text()).cells[0].source.join("")).toBe(content);
  const texts = Array.from({ length: 10 }, () => python(connection, "print('x' * 500_000)"));
  Bun.sleepSync(300);
  for (const text of await Promise.all(texts)) expect(text).toBe(`${"x".repeat(500_000)}\n`);
});
