import { expect, test } from "bun:test";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { tryLock } from "../../src/lock.ts";
import { findDirectories } from "../../src/paths.ts";
import { loadSettings } from "../../src/settings.ts";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { temporaryFolder } from "../nuthatch.ts";

test("a call that is cancelled while it waits for a notebook's lock says so, and is no fault of Nuthatch", async () => {
  using home = temporaryFolder();
  const path = join(home.path, "a.ipynb");
  writeFileSync(path, canonical(notebookOf([codeCell("a", ["1"])])));
  expect(tryLock(openSync(path, "r"))).toBe("locked");
  const directories = findDirectories({ NUTHATCH_HOME: home.path });
  const { settings } = loadSettings({ configDirectory: directories.config });
  const abort = new AbortController();
  const options = { cwd: home.path, environment: {}, settings, signal: abort.signal };
  const input = { action: "delete", notebook_path: path, cell_index: 0 };
  const call = createApp({ directories, settings }).callTool("notebook", input, options);
  setTimeout(() => abort.abort(), 20);
  expect(await call).toEqual({
    content: [{ type: "text", text: "Error: The call was cancelled" }],
    details: { code: "cancelled", message: "The call was cancelled", cancelled: true },
    isError: true,
  });
});
