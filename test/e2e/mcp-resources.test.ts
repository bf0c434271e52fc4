import { expect, test } from "bun:test";
import { join } from "node:path";
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
