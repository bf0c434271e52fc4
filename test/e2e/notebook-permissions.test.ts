import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical, codeCell, notebookOf } from "../notebook/notebooks.ts";
import { BINARY, temporaryFolder } from "../nuthatch.ts";

const NOTEBOOK = canonical(notebookOf([codeCell("a", ["x".repeat(200_000)]), codeCell("b", ["2"])]));
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;
/** As root, the cases of an ordinary user run as `nobody`. */
const CAN_BE_NOBODY = IS_ROOT && Bun.which("setpriv") !== null;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

interface Place extends Disposable {
  /** The folder of the notebook; everybody may write there. */
  folder: string;
  path: string;
  home: string;
}

function place(): Place {
  const base = temporaryFolder();
  const [folder, home] = [join(base.path, "work"), join(base.path, "home")];
  for (const path of [folder, home]) mkdirSync(path);
  for (const path of [base.path, folder, home]) chmodSync(path, 0o777);
  const path = join(folder, "n.ipynb");
  writeFileSync(path, NOTEBOOK);
  return { folder, path, home, [Symbol.dispose]: () => base[Symbol.dispose]() };
}

/** Inserts a cell of 200 KB and returns the details of the result. */
function insert({ path, home }: Place, before: string[] = [], more: Record<string, unknown> = {}) {
  const input = JSON.stringify({ action: "insert", path, index: 1, content: "y".repeat(200_000), ...more });
  const env = { ...process.env, NUTHATCH_HOME: home };
  const { stdout, exitCode } = Bun.spawnSync([...before, BINARY, "call", "notebook", "-"], {
    env,
    stdin: Buffer.from(input),
  });
  return { details: JSON.parse(stdout.toString()).details, exitCode };
}

function expectRefused(where: Place, found: ReturnType<typeof insert>, systemCode?: string): void {
  expect(found.exitCode).toBe(1);
  expect(found.details.code).toBe("write_failed");
  if (systemCode !== undefined) expect(found.details.systemCode).toBe(systemCode);
  expect(found.details.message).toContain("the file is unchanged");
  expect(readFileSync(where.path, "utf8")).toBe(NOTEBOOK);
  expect(readdirSync(where.folder).filter((name) => !name.endsWith("n.ipynb"))).toEqual([]);
  expect(readdirSync(where.home, { recursive: true }).filter((name) => String(name).endsWith(".ipynb"))).toEqual([]);
}

function expectWritten(where: Place, found: ReturnType<typeof insert>): void {
  expect([found.details.message, found.exitCode]).toEqual([undefined, 0]);
  expect(JSON.parse(readFileSync(where.path, "utf8")).cells.length).toBe(3);
  expect(readdirSync(where.folder).filter((name) => !name.endsWith("n.ipynb"))).toEqual([]);
  expect(readdirSync(where.home, { recursive: true }).filter((name) => String(name).endsWith(".ipynb"))).toEqual([]);
}

/** A shell that lets a file grow to so many KB at most. */
function limited(kilobytes: number): string[] {
  return ["bash", "-c", `ulimit -f ${kilobytes}; exec "$@"`, "limited"];
}

describe("when the file cannot be written, it is what it was and nothing is left beside it:", () => {
  test("a file that may not grow so large", () => {
    using where = place();
    expectRefused(where, insert(where, limited(300)), "EFBIG");
    expectWritten(where, insert(where));
  });

  test("a file with hard links that may not grow so large", () => {
    using where = place();
    linkSync(where.path, join(where.folder, "other n.ipynb"));
    expectRefused(where, insert(where, limited(300)), "EFBIG");
    expectRefused(where, insert(where, limited(100)), "EFBIG");
    expectWritten(where, insert(where));
  });

  test.skipIf(!IS_ROOT)("a full disk (needs root, to mount one)", () => {
    using where = place();
    const disk = join(where.folder, "disk");
    mkdirSync(disk);
    const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", disk]);
    expect(mount.exitCode).toBe(0);
    try {
      const full = { ...where, folder: disk, path: join(disk, "n.ipynb") };
      writeFileSync(full.path, NOTEBOOK);
      expectRefused(full, insert(full), "ENOSPC");
      linkSync(full.path, join(disk, "other n.ipynb"));
      expectRefused(full, insert(full), "ENOSPC");
    } finally {
      Bun.spawnSync(["umount", disk]);
    }
  });

  test("a read-only file", () => {
    using where = place();
    chmodSync(where.path, 0o444);
    expectRefused(where, insert(where));
    expectWritten(where, insert(where, [], { force: true }));
    expect(statSync(where.path).mode & 0o777).toBe(0o444);
  });

  test.skipIf(!CAN_BE_NOBODY)("another user's file, forced or not (needs root)", () => {
    using where = place();
    expectRefused(where, insert(where, AS_NOBODY));
    expectRefused(where, insert(where, AS_NOBODY, { force: true }));
  });

  test.skipIf(!CAN_BE_NOBODY)("a read-only file in a read-only folder (needs root)", () => {
    using where = place();
    chownSync(where.path, NOBODY, NOBODY);
    chmodSync(where.path, 0o444);
    chmodSync(where.folder, 0o555);
    expectRefused(where, insert(where, AS_NOBODY));
    expectWritten(where, insert(where, AS_NOBODY, { force: true }));
    expect(statSync(where.path).mode & 0o777).toBe(0o444);
  });
});

describe("what can be written is:", () => {
  test.skipIf(!CAN_BE_NOBODY)("a file in a folder that takes no new file, in place (needs root)", () => {
    using where = place();
    chownSync(where.path, NOBODY, NOBODY);
    chmodSync(where.folder, 0o555);
    const { ino } = statSync(where.path);
    expectWritten(where, insert(where, AS_NOBODY));
    expect(statSync(where.path).ino).toBe(ino);
  });

  test.skipIf(!CAN_BE_NOBODY)("another user's file that everybody may write, which stays theirs (needs root)", () => {
    using where = place();
    chmodSync(where.path, 0o666);
    expectWritten(where, insert(where, AS_NOBODY));
    expect(statSync(where.path).uid).toBe(0);
    chownSync(where.path, NOBODY, NOBODY);
    writeFileSync(where.path, NOTEBOOK);
    expectWritten(where, insert(where));
    expect([statSync(where.path).uid, statSync(where.path).gid]).toEqual([NOBODY, NOBODY]);
  });
});
