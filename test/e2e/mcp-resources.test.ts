import { expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { connectMcp, PROTOCOLS } from "../mcp-client.ts";
import { temporaryFolder } from "../nuthatch.ts";

test.each(PROTOCOLS)("artifacts are listed and read, text as text and images as bytes (%s)", async (protocol) => {
  using home = temporaryFolder();
  const store = new ArtifactStore(join(home.path, "state", "artifacts"));
  const text = store.save("all of it\n", { mimeType: "text/plain", title: "load", session: "s" });
  const image = store.save(Buffer.from([0x89, 0x50, 0xff]), { mimeType: "image/png" });
  await using connection = await connectMcp({ home: home.path, protocol });
  const { client } = connection;
  const templates = (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate);
  expect(templates).toEqual(["artifact://{id}", "notebook://{+path}"]);
  expect((await client.listResources()).resources).toEqual([
    { uri: `artifact://${image.id}`, name: `artifact ${image.id}`, mimeType: "image/png" },
    {
      uri: `artifact://${text.id}`,
      name: `artifact ${text.id}`,
      mimeType: "text/plain",
      description: "load, s",
    },
  ]);
  expect((await client.readResource({ uri: `artifact://${text.id}` })).contents).toEqual([
    { uri: `artifact://${text.id}`, mimeType: "text/plain", text: "all of it\n" },
  ]);
  expect((await client.readResource({ uri: `artifact://${image.id}` })).contents).toEqual([
    { uri: `artifact://${image.id}`, mimeType: "image/png", blob: "iVD/" },
  ]);
});

test.each(PROTOCOLS)(
  "a resource that is not there is a protocol error, tricks with paths too (%s)",
  async (protocol) => {
    using home = temporaryFolder();
    await using connection = await connectMcp({ home: home.path, protocol });
    for (const uri of [
      "artifact://999",
      "artifact://../../etc/passwd",
      "file:///etc/passwd",
      "notebook://none.ipynb",
    ]) {
      await expect(connection.client.readResource({ uri })).rejects.toThrow();
    }
  },
);

test.each(PROTOCOLS)(
  "a notebook is read as text, by a path relative to the client's root too (%s)",
  async (protocol) => {
    using home = temporaryFolder();
    const folder = join(home.path, "a folder");
    const source = ["import math\n", "math.pi"];
    const cell = { cell_type: "code", id: "one", metadata: {}, source, outputs: [], execution_count: 3 };
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    await Bun.write(join(folder, "n b.ipynb"), JSON.stringify(notebook));
    await Bun.write(join(folder, "broken.ipynb"), "{");
    const root = pathToFileURL(folder);
    await using connection = await connectMcp({ home: home.path, protocol, roots: [root.href] });
    const { client } = connection;
    for (const uri of ["notebook://n%20b.ipynb", `notebook://${root.pathname}/n%20b.ipynb`]) {
      const [content] = (await client.readResource({ uri })).contents;
      expect(content).toMatchObject({ uri, mimeType: "text/plain" });
      expect((content as { text: string }).text).toContain("import math\nmath.pi");
    }
    await expect(client.readResource({ uri: "notebook://broken.ipynb" })).rejects.toThrow("JSON");
  },
);
