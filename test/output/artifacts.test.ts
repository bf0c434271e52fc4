import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArtifactStore } from "../../src/output/artifacts.ts";

let home: string;
let store: ArtifactStore;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nuthatch-artifacts-"));
  store = new ArtifactStore(join(home, "artifacts"));
});
afterEach(() => rmSync(home, { recursive: true }));

const text = { mimeType: "text/plain" };

describe("ArtifactStore", () => {
  test("gives out ids that count up, in the session's own folder, with what made them", async () => {
    const folder = store.folderFor("/home/me/project");
    const first = store.save("one", { ...text, folder, session: "/home/me/project", title: "load" });
    const second = store.save(new Uint8Array([1, 2]), { mimeType: "image/png" });
    expect([first.id, second.id]).toEqual(["1", "2"]);
    expect(first.path).toBe(join(folder, "1.txt"));
    expect(second.path).toEndWith("2.png");
    expect(Buffer.from(await store.read("artifact://1")).toString()).toBe("one");
    expect(store.list()).toMatchObject([{ id: "1", session: "/home/me/project", title: "load" }, { id: "2" }]);
  });

  test("files and folders are for this user alone", () => {
    const { path } = store.save("secret", text);
    const spilled = store.open(text);
    spilled.close();
    for (const file of [path, spilled.path]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "artifacts")).mode & 0o777).toBe(0o700);
    expect(readdirSync(store.folderFor("common")).sort()).toEqual(["1.txt", "2.txt"]);
  });

  test("ids stay unique when several processes make artifacts at once", async () => {
    const program = join(import.meta.dir, "../fixtures/save-artifacts.ts");
    const children = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, program, join(home, "artifacts"), "40"], { stdout: "pipe" }),
    );
    const outputs = await Promise.all(children.map((child) => new Response(child.stdout).json()));
    const ids = outputs.flat() as string[];
    expect(new Set(ids).size).toBe(120);
    expect(store.list()).toHaveLength(120);
  });

  test.each(["../1", "1/../2", "", "x", "-1", "1.txt", "artifact://../../etc/passwd", "999"])(
    "an id that names nothing is refused: %p",
    (id) => {
      store.save("one", text);
      expect(() => store.find(id)).toThrow(expect.objectContaining({ code: "artifact_not_found" }));
    },
  );

  test("a session's folder stays inside the store, whatever the session is called", () => {
    for (const session of ["../../etc", "..", "/", ".", "a/b", "名前", "x".repeat(500)]) {
      const folder = store.folderFor(session);
      expect(join(folder, "..")).toBe(join(home, "artifacts"));
    }
    expect(store.folderFor("a/b")).not.toBe(store.folderFor("a-b"));
  });

  test("a link that lies in wait at an artifact's path is not followed", () => {
    const folder = store.folderFor("trap");
    const target = join(home, "target");
    writeFileSync(target, "mine");
    symlinkSync(target, join(folder, "1.txt"));
    expect(() => store.open({ ...text, folder })).toThrow(expect.objectContaining({ code: "artifact_write_failed" }));
    expect(statSync(target).size).toBe(4);
  });

  test("an artifact that cannot be written leaves nothing behind and its id is not reused", () => {
    expect(() => new ArtifactStore("/dev/null/x").save("one", text)).toThrow();
    const first = store.save("one", text);
    store.discard(first.id);
    expect(existsSync(first.path)).toBe(false);
    expect(() => store.find("1")).toThrow("was removed");
    expect(new ArtifactStore(join(home, "artifacts")).save("two", text).id).toBe("2");
  });

  test("what is too old goes, then the oldest until the rest fits", () => {
    const saved = [1, 2, 3, 4].map((days) => {
      const artifact = store.save("x".repeat(100), text);
      const then = new Date(Date.now() - days * 86_400_000);
      utimesSync(artifact.path, then, then);
      return artifact;
    });
    const fresh = store.save("x".repeat(1000), text);
    store.prune({ maxAge: 3.5 * 86_400, maxBytes: 0 });
    expect(store.list().map(({ id }) => id)).toEqual(["1", "2", "3", "5"]);
    store.prune({ maxAge: 0, maxBytes: 1150 });
    expect(store.list().map(({ id }) => id)).toEqual(["1", "5"]);
    expect(saved.map(({ path }) => existsSync(path))).toEqual([true, false, false, false]);
    expect(existsSync(fresh.path)).toBe(true);
    expect(() => store.find("3")).toThrow("was removed");
  });

  test("a store with limits looks after them when a new artifact comes, once an hour for all processes", () => {
    const limits = { maxAge: 60, maxBytes: 0 };
    const makeOld = () => {
      const { path } = store.save("old", text);
      utimesSync(path, 0, 0);
      return path;
    };
    const old = makeOld();
    new ArtifactStore(join(home, "artifacts"), limits).save("new", text);
    expect(existsSync(old)).toBe(false);
    const next = makeOld();
    new ArtifactStore(join(home, "artifacts"), limits).save("new", text);
    expect(existsSync(next)).toBe(true);
    utimesSync(join(home, "artifacts", "pruned"), 0, 0);
    new ArtifactStore(join(home, "artifacts"), limits).save("new", text);
    expect(existsSync(next)).toBe(false);
    // The clock was a year ahead at the last look.
    const last = makeOld();
    const ahead = Date.now() / 1000 + 365 * 86_400;
    utimesSync(join(home, "artifacts", "pruned"), ahead, ahead);
    new ArtifactStore(join(home, "artifacts"), limits).save("new", text);
    expect(existsSync(last)).toBe(false);
  });
});
