import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { callTool, temporaryFolder } from "../nuthatch.ts";

test("in 60,000 cells without a backslash each is looked at alone, and not with all that follow it", async () => {
  using home = temporaryFolder();
  const cells = Array.from({ length: 60_000 }, (_, index) => codeCell(`c${index}`, [`${index}`]));
  writeFileSync(join(home.path, "many.ipynb"), canonical(notebookOf(cells)));
  const call = async (input: Record<string, unknown>) =>
    (await callTool("notebook", { notebook_path: "many.ipynb", ...input }, { home: home.path })).result.details;
  expect((await call({ action: "edit", cell_id: "c59998", content: "new" })).cellIndex).toBe(59_998);
  expect((await call({ action: "read", search: "/^59997$/" })).cells).toMatchObject([{ index: 59_997 }]);
}, 20_000);

test("a range that ends before it starts is refused", async () => {
  using home = temporaryFolder();
  writeFileSync(join(home.path, "a.ipynb"), canonical(notebookOf(["a", "b", "c"].map((id) => codeCell(id, ["1"])))));
  const input = { action: "read", notebook_path: "a.ipynb", range: "2-1" };
  const { exitCode, text } = await callTool("notebook", input, { home: home.path });
  expect([exitCode, text]).toEqual([1, 'Error: range "2-1" ends before it starts\nHint: such as "2-5"']);
});
