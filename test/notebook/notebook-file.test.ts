import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { planAction } from "../../src/notebook/actions.ts";
import { copyNotebook } from "../../src/notebook/copy-notebook.ts";
import { changeNotebook, readNotebook } from "../../src/notebook/notebook-file.ts";
import { makeSafetyCopy } from "../../src/notebook/safety-copy.ts";
import { temporaryPath } from "../../src/notebook/temporary-files.ts";
import { temporaryFolder } from "../nuthatch.ts";
import { canonical, codeCell, notebookOf } from "./notebooks.ts";

const FIRST = canonical(notebookOf([codeCell("a", ["old"])]));
const SECOND = canonical(notebookOf([codeCell("a", ["new"])]));

async function edit(path: string, content = "new", options: { force?: boolean; ifRevision?: string } = {}) {
  return await changeNotebook({ path, cwd: "/", ...options }, (document) =>
    planAction(document, { action: "edit", index: 0, content }),
  );
}

function notebookIn(folder: string, text = FIRST): string {
  const path = join(folder, "n.ipynb");
  writeFileSync(path, text);
  return path;
}

/** Whether a user without privileges runs the tests; root may write everything. */
const IS_ROOT = process.getuid?.() === 0;
const HAS_ATTRIBUTES = Bun.which("setfattr") !== null && Bun.which("getfattr") !== null;

describe("a changed file", () => {
  test("keeps its mode and leaves nothing beside it", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    chmodSync(path, 0o640);
    await edit(path);
    expect(readFileSync(path, "utf8")).toBe(SECOND);
    expect(statSync(path).mode & 0o7777).toBe(0o640);
    expect(readdirSync(folder.path)).toEqual(["n.ipynb"]);
  });

  test("is not touched by a change that changes nothing", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    const before = statSync(path, { bigint: true });
    await edit(path, "old");
    const after = statSync(path, { bigint: true });
    expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  });

  test("behind a symbolic link changes, and the link stays", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "real"));
    notebookIn(join(folder.path, "real"));
    const link = join(folder.path, "link.ipynb");
    symlinkSync("real/n.ipynb", link);
    await edit(link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder.path, "real", "n.ipynb"), "utf8")).toBe(SECOND);
    expect(readdirSync(folder.path).sort()).toEqual(["link.ipynb", "real"]);
  });

  test("with further hard links changes under all its names", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    const other = join(folder.path, "other.ipynb");
    linkSync(path, other);
    const inode = statSync(path).ino;
    await edit(path, "longer\n".repeat(100));
    await edit(other);
    expect(readFileSync(path, "utf8")).toBe(SECOND);
    expect(statSync(path).ino).toBe(inode);
    expect(readdirSync(folder.path).sort()).toEqual(["n.ipynb", "other.ipynb"]);
  });

  test.skipIf(!HAS_ATTRIBUTES)("keeps its extended attributes (needs setfattr)", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    const run = (words: string[]) => Bun.spawnSync([...words, path]).stdout.toString();
    run(["setfattr", "-n", "user.origin", "-v", "lab 7"]);
    const before = statSync(path).ino;
    await edit(path);
    expect(run(["getfattr", "--only-values", "-n", "user.origin"])).toBe("lab 7");
    expect(statSync(path).ino).not.toBe(before);
  });

  test("that is marked read-only is refused, unless forced", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    chmodSync(path, 0o444);
    await expect(edit(path)).rejects.toMatchObject({ code: "write_failed", hint: expect.stringContaining("force") });
    expect(readFileSync(path, "utf8")).toBe(FIRST);
    await edit(path, "new", { force: true });
    expect(readFileSync(path, "utf8")).toBe(SECOND);
    expect(statSync(path).mode & 0o7777).toBe(0o444);
    linkSync(path, join(folder.path, "other.ipynb"));
    await edit(path, "old", { force: true });
    expect(readFileSync(path, "utf8")).toBe(FIRST);
    expect(statSync(path).mode & 0o7777).toBe(0o444);
  });

  test("is refused when its revision is not the expected one", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    const { revision } = await readNotebook(path, "/");
    const second = await edit(path, "new", { ifRevision: revision });
    expect(second.revision).toBe((await readNotebook(path, "/")).revision);
    await expect(edit(path, "third", { ifRevision: revision })).rejects.toMatchObject({
      code: "revision_mismatch",
      data: { expected: revision, actual: second.revision, totalCells: 1 },
    });
    expect(readFileSync(path, "utf8")).toBe(SECOND);
  });

  test("that another program replaces in between is read again, so that both changes last", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    let times = 0;
    const { totalCells } = await changeNotebook({ path, cwd: "/" }, (document) => {
      if (times++ === 0) {
        writeFileSync(`${path}.new`, canonical(notebookOf([codeCell("a", ["old"]), codeCell("b", ["theirs"])])));
        renameSync(`${path}.new`, path);
      }
      return planAction(document, { action: "edit", index: 0, content: "ours" });
    });
    expect([times, totalCells]).toEqual([2, 2]);
    expect(readFileSync(path, "utf8")).toBe(
      canonical(notebookOf([codeCell("a", ["ours"]), codeCell("b", ["theirs"])])),
    );
  });
});

describe("what a killed writer leaves", () => {
  test("is removed by the next write", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    writeFileSync(temporaryPath(path), "half");
    writeFileSync(join(folder.path, ".nuthatch-other-1.tmp"), "of another notebook");
    await edit(path);
    expect(readdirSync(folder.path).sort()).toEqual([".nuthatch-other-1.tmp", "n.ipynb"]);
  });

  test.each([
    ["before it touched the file", FIRST, FIRST],
    ["after it had made the file longer", `\0${FIRST.slice(1)}\n`, FIRST],
    ["in the middle of the file", `\0${SECOND.slice(1, 50)}${FIRST.slice(50)}`, FIRST],
    ["at its end", SECOND, SECOND],
  ])("beside a file with hard links restores it when it was killed %s", async (_when, found, expected) => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path, found);
    const copy = await makeSafetyCopy(path, Buffer.from(FIRST));
    const { document } = await readNotebook(path, "/").catch(() => ({ document: undefined }));
    expect(document?.bytes.toString() ?? readFileSync(path, "utf8")).toBe(expected);
    await edit(path, "next");
    expect(readFileSync(path, "utf8")).toBe(canonical(notebookOf([codeCell("a", ["next"])])));
    expect(existsSync(copy)).toBe(false);
  });

  test("does not undo what somebody has written since", async () => {
    using folder = temporaryFolder();
    const path = notebookIn(folder.path);
    await makeSafetyCopy(path, Buffer.from(SECOND));
    await edit(path, "next");
    expect(readFileSync(path, "utf8")).toBe(canonical(notebookOf([codeCell("a", ["next"])])));
  });
});

test.skipIf(IS_ROOT)("a folder that takes no new file is no obstacle (needs a user without privileges)", async () => {
  using folder = temporaryFolder();
  const path = notebookIn(folder.path);
  chmodSync(folder.path, 0o555);
  try {
    await edit(path);
    expect(readFileSync(path, "utf8")).toBe(SECOND);
  } finally {
    chmodSync(folder.path, 0o755);
  }
});

test("a copy of a notebook has its bytes, also in the place of another file, whose mode stays", async () => {
  using folder = temporaryFolder();
  notebookIn(folder.path);
  const target = join(folder.path, "copy.ipynb");
  await copyNotebook({ path: "n.ipynb", to: "copy.ipynb", cwd: folder.path }, []);
  expect(readFileSync(target, "utf8")).toBe(FIRST);
  writeFileSync(target, "no notebook");
  chmodSync(target, 0o600);
  await copyNotebook({ path: "n.ipynb", to: "copy.ipynb", cwd: folder.path }, []);
  expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual([FIRST, 0o600]);
  await expect(copyNotebook({ path: "n.ipynb", to: "none/copy.ipynb", cwd: folder.path }, [])).rejects.toMatchObject({
    code: "write_failed",
  });
});

test("a file that grows while it is read is read again", async () => {
  using folder = temporaryFolder();
  const path = notebookIn(folder.path);
  let times = 0;
  await changeNotebook({ path, cwd: "/" }, (document) => {
    if (times++ === 0) appendFileSync(path, "\n");
    return planAction(document, { action: "edit", index: 0, content: "new" });
  });
  expect(readFileSync(path, "utf8")).toBe(`${SECOND}\n`);
});
