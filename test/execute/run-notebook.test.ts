import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "./live-executor.ts";
import { liveNotebook, shown, testNotebook } from "./live-notebook.ts";
import { showing, waitFor } from "./showing.ts";

const text = (code: string) => ({
  cell_type: "markdown",
  source: code,
  outputs: undefined,
  execution_count: undefined,
});

describe.each(KINDS)("a notebook on $kernel", ({ kernel, missing }) => {
  test.skipIf(missing)("runs in order, and later calls go on with the state that earlier ones left", async () => {
    await using live = liveNotebook(kernel, testNotebook(["x = 20", text("# words"), "print(x)", "x + 1"]));
    const first = await live.runNotebook();
    expect(first.isError).toBe(false);
    expect(first.details).toMatchObject({ executed: 3, failedCell: null, saved: true, notebookPath: live.path });
    expect(first.text).toBe("[1/3] cell 0 (id a)\n(ok)\n[2/3] cell 2 (id c)\n20\n[3/3] cell 3 (id d)\n21\n");
    expect(live.read().cells.map(shown)).toEqual(["", "", "20\n", "21"]);
    const second = await live.runNotebook({ cells: "3" });
    expect(second.details.cells).toMatchObject([
      { index: 3, id: "d", status: "complete", executionCount: 4, saved: true },
    ]);
    const fresh = await live.runNotebook({ cells: "3", restart: true });
    expect(fresh.text).toContain("NameError");
    expect(fresh.text).toContain("The kernel was new: 2 of the code cells before this one have not run in it\n");
  });

  test.skipIf(missing)("ends at a cell that leaves the program, and says which cells did not run", async () => {
    await using live = liveNotebook(kernel, testNotebook(["print(1)", "import sys; sys.exit()", "print(3)", "4"]));
    const result = await live.runNotebook();
    expect(result).toMatchObject({ isError: false, details: { executed: 2, failedCell: null } });
    expect(result.text).toEndWith("Cell 1 (id b) ended the run; the 2 cells after it did not run\n");
  });

  test.skipIf(missing)("ends at a cell that fails, and keeps the outputs of cells that did not run", async () => {
    const old = { output_type: "stream", name: "stdout", text: ["old\n"] };
    await using live = liveNotebook(
      kernel,
      testNotebook(["print(1)", "1 / 0", { source: "print(3)", outputs: [old], execution_count: 7 }]),
    );
    const result = await live.runNotebook();
    expect(result).toMatchObject({ isError: true, details: { executed: 2, failedCell: 1 } });
    expect(result.details.cells.map(({ status }) => status)).toEqual(["complete", "error", "pending"]);
    expect(result.text).toEndWith("Cell 1 (id b) failed; the cell after it did not run\n");
    expect(live.read().cells.map(shown)).toEqual(["1\n", "ZeroDivisionError: division by zero", "old\n"]);
    expect(live.read().cells[2]?.execution_count).toBe(7);
    const all = await live.runNotebook({ allowErrors: true });
    expect(all).toMatchObject({ isError: false, details: { executed: 3, failedCell: null } });
    expect(shown(live.read().cells[2])).toBe("3\n");
  });

  test.skipIf(missing)(
    "a dead kernel is reported at its cell, nothing runs again, and the text says how to go on",
    async () => {
      const dies = "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)";
      await using live = liveNotebook(kernel, testNotebook(["x = 1\nx", dies, "x"]));
      const { shown: begun, text: seen, onUpdate } = showing(/pid (\d+)\n/);
      const running = live.runNotebook({}, { onUpdate });
      await begun;
      process.kill(Number(/pid (\d+)/.exec(seen())?.[1]), "SIGKILL");
      const result = await running;
      expect(result).toMatchObject({ isError: true, details: { failedCell: 1 } });
      expect(result.details.cells.map(({ status }) => status)).toEqual(["complete", "error", "pending"]);
      expect(result.text).toContain("The Python kernel died: it was ended by SIGKILL");
      expect(result.text).toContain("Run the notebook from the top in a fresh kernel: restart: true, without cells");
      expect(live.read().cells.map(shown)).toEqual(["1", expect.stringMatching(/^pid \d+\n$/), ""]);
      const next = await live.runNotebook({ cells: ["c"] });
      expect(next.text).toContain("NameError");
      expect(next.text).toContain("The cells ran in a new kernel, and what earlier calls had left is gone");
      live.write(testNotebook(["x = 1\nx", "2", "x"]));
      expect((await live.runNotebook({ restart: true })).details).toMatchObject({ executed: 3, failedCell: null });
    },
  );

  test.skipIf(missing)(
    "what was edited on disk while it ran stays, and an output goes only to the source that ran",
    async () => {
      await using live = liveNotebook(kernel, testNotebook(["", "print('two')", "print('three')"]));
      const go = join(live.cwd, "go");
      live.write(testNotebook([waitFor(go), "print('two')", "print('three')"]));
      const { shown: begun, onUpdate } = showing("begun");
      const running = live.runNotebook({}, { onUpdate });
      await begun;
      const now = live.read();
      const [first, , third] = now.cells;
      const added = { ...third, id: "new", source: ["# added by hand"] };
      const changed = { ...third, source: ["print('changed')"] };
      live.write({ ...now, cells: [added, first, now.cells[1], changed] });
      writeFileSync(go, "");
      const result = await running;
      expect(result.isError).toBe(false);
      expect(live.read().cells.map(shown)).toEqual(["", "begun\n", "two\n", ""]);
      expect(
        live
          .read()
          .cells.map(({ source }) => source)
          .at(-1),
      ).toEqual(["print('changed')"]);
      expect(result.details.cells.map(({ saved }) => saved)).toEqual([true, true, false]);
      expect(result.text).toContain("Cell 2 (id c) was changed or removed on disk while the notebook ran");
    },
  );

  test.skipIf(missing)(
    "a cell that takes too long is interrupted; the state is kept and the rest does not run",
    async () => {
      await using live = liveNotebook(
        kernel,
        testNotebook(["x = 1", "import time\nprint('in', flush=True)\ntime.sleep(60)", "x"]),
      );
      const result = await live.runNotebook({ timeout: 1 });
      expect(result.details).toMatchObject({ cancelled: true, timedOut: true, failedCell: 1 });
      expect(result.text).toContain("Command timed out after 1 seconds");
      expect(shown(live.read().cells[1])).toStartWith("in\n|KeyboardInterrupt");
      expect((await live.runNotebook({ cells: "2" })).text).toBe("1\n");
      const total = await live.runNotebook({ cells: "1-2", totalTimeout: 0.5, timeout: 60 });
      expect(total.text).toContain("Command timed out after 0.5 seconds");
      expect(total.details.cells.map(({ status }) => status)).toEqual(["error", "pending"]);
    },
  );

  test.skipIf(missing)("cells with tags are skipped, or may fail", async () => {
    const tagged = (tag: string, source: string) => ({ source, metadata: { tags: [tag] } });
    await using live = liveNotebook(
      kernel,
      testNotebook([tagged("skip-execution", "1 / 0"), tagged("raises-exception", "1 / 0"), "  \n", "'end'"]),
    );
    const result = await live.runNotebook();
    expect(result).toMatchObject({ isError: false, details: { executed: 2, failedCell: null } });
    expect(result.details.cells.map(({ status }) => status)).toEqual(["skipped", "error", "skipped", "complete"]);
    expect(live.read().cells.map(shown)).toEqual(["", "ZeroDivisionError: division by zero", "", "'end'"]);
  });

  test.skipIf(missing)("the times of a cell's run go into its metadata, where the rest of it stays", async () => {
    const timed = {
      source: "1",
      metadata: { tags: ["kept"], execution: { "iopub.status.busy": "2020-01-01T00:00:00Z" } },
    };
    await using live = liveNotebook(kernel, testNotebook([timed, "2"]));
    await live.runNotebook();
    for (const { metadata } of live.read().cells) {
      const { execution } = metadata as { execution: Record<string, string> };
      const times = ["iopub.status.busy", "iopub.execute_input", "shell.execute_reply", "iopub.status.idle"];
      expect(Object.keys(execution).sort()).toEqual(times.sort());
      for (const time of Object.values(execution)) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
    }
    expect(live.read().cells[0]?.metadata.tags).toEqual(["kept"]);
  });
});

test("a notebook that asks for another kernel than its session has is an error that names restart", async () => {
  await using live = liveNotebook("bundled", testNotebook(["1"]));
  await live.runNotebook();
  const settings = { ...live.settings, kernel: "python3" };
  const refused = await live.runNotebook({ settings }).catch((error) => error);
  expect(refused).toMatchObject({ code: "session_mismatch", hint: expect.stringContaining("restart: true") });
});

describe("a notebook's file", () => {
  test("edits come first, all or none, and the cells are those of the notebook as it is then", async () => {
    await using live = liveNotebook("bundled", testNotebook(["x = 1", "x"]));
    const before = readFileSync(live.path);
    const edits = [
      { action: "insert", index: 1, content: "x += 1" },
      { action: "edit", id: "b", content: "x * 10" },
    ] as const;
    const failed = live.runNotebook({ edits: [...edits, { action: "edit", id: "nowhere", content: "" }] });
    expect(await failed.catch((error) => error)).toMatchObject({
      code: "cell_not_found",
      message: 'edit[2]: no cell has the id "nowhere"',
    });
    const outside = live.runNotebook({ edits, cells: "3" });
    expect(await outside.catch((error) => error.message)).toBe("cells: 3 is out of range; the valid range is 0-2");
    const stale = live.runNotebook({ edits, ifRevision: "0123456789abcdef" });
    expect(await stale.catch((error) => error.code)).toBe("revision_mismatch");
    expect(readFileSync(live.path)).toEqual(before);
    expect(live.executor.listSessions()).toEqual([]);
    const result = await live.runNotebook({ edits });
    expect(result.text).toStartWith("Inserted a code cell at index 1 (id ");
    expect(result.details.edits).toMatchObject([
      { action: "insert", cellIndex: 1, totalCells: 3 },
      { action: "edit", cellIndex: 2, cellId: "b", cellSource: ["x * 10"] },
    ]);
    expect(live.read().cells.map(shown)).toEqual(["", "", "20"]);
  });

  test("a copy takes the edits, the parameters and the outputs, and the notebook stays as it is", async () => {
    await using live = liveNotebook("bundled", testNotebook(["x = 1", "x * factor"]));
    const before = readFileSync(live.path);
    const request = {
      saveAs: "copy.ipynb",
      parameters: { factor: 21 },
      edits: [{ action: "edit", id: "a", content: "x = 2" }] as const,
    };
    const result = await live.runNotebook(request);
    const copy = join(live.cwd, "copy.ipynb");
    expect(result.details).toMatchObject({ notebookPath: copy, executed: 3, saved: true });
    expect(live.read(copy).cells.map(shown)).toEqual(["", "", "42"]);
    expect(readFileSync(live.path)).toEqual(before);
    chmodSync(copy, 0o640);
    await live.runNotebook({ ...request, parameters: { factor: 1 } });
    expect(shown(live.read(copy).cells[2])).toBe("2");
    expect(statSync(copy).mode & 0o777).toBe(0o640);
    const nowhere = live.runNotebook({ saveAs: "no/such/folder.ipynb" });
    expect(await nowhere.catch((error) => error.message)).toContain("its folder does not exist");
    expect(existsSync(join(live.cwd, "no"))).toBe(false);
  });

  test("a read-only notebook is refused before anything runs", async () => {
    await using live = liveNotebook("bundled", testNotebook(["open('ran', 'w')"]));
    chmodSync(live.path, 0o444);
    expect(await live.runNotebook().catch((error) => error.message)).toContain("the file is read-only");
    expect(existsSync(join(live.cwd, "ran"))).toBe(false);
    expect((await live.runNotebook({ saveAs: "copy.ipynb" })).isError).toBe(false);
  });

  test("stale cells are those that never ran to their end, and those that have another source", async () => {
    await using live = liveNotebook("bundled", testNotebook(["x = 1", "x", text("words"), "1 / 0", "'last'"]));
    const ran = async () => (await live.runNotebook({ cells: "stale" })).details.cells.map(({ index }) => index);
    expect(await ran()).toEqual([0, 1, 3, 4]);
    const bytes = readFileSync(live.path);
    expect(await ran()).toEqual([3, 4]);
    const [first] = JSON.parse(bytes.toString()).cells;
    const metadata = { execution: expect.anything() };
    expect(first).toEqual({ ...testNotebook(["x = 1"]).cells[0], metadata, execution_count: 1 });
    const edits = [
      { action: "edit", id: "d", content: "'mended'" },
      { action: "edit", id: "b", content: "x + 1" },
      { action: "move", id: "a", toIndex: 3 },
    ] as const;
    const result = await live.runNotebook({ edits, cells: "stale" });
    expect(result.details.cells.map(({ id }) => id)).toEqual(["b", "d", "e"]);
    const none = await live.runNotebook({ cells: "stale" });
    expect(none).toMatchObject({
      isError: false,
      text: "No code cell is stale\n",
      details: { executed: 0 },
    });
  });

  test("stale cells are told from each other where cells have no ids", async () => {
    const bare = (sources: string[]) => {
      const notebook = testNotebook(sources);
      return { ...notebook, nbformat_minor: 4, cells: notebook.cells.map(({ id: _, ...cell }) => cell) };
    };
    await using live = liveNotebook("bundled", bare(["1", "1", "2"]));
    const ran = async () => (await live.runNotebook({ cells: "stale" })).details.cells.map(({ index }) => index);
    expect(await ran()).toEqual([0, 1, 2]);
    live.write(bare(["2", "1", "3", "1", "1"]));
    expect(await ran()).toEqual([2, 4]);
  });

  test("an update has only the cells that have changed since the one before, and the text of one cell", async () => {
    await using live = liveNotebook("bundled", testNotebook(["print('a')", "print('b')", "print('c')"]));
    const cells = new Map<number, string[]>();
    let told = "";
    const onUpdate = (update: {
      content: { text?: string }[];
      details: { cells: { index: number; status: string }[] };
    }) => {
      told += update.content.map((block) => block.text ?? "").join("");
      for (const { index, status } of update.details.cells) cells.set(index, [...(cells.get(index) ?? []), status]);
    };
    const result = await live.runNotebook({}, { onUpdate: onUpdate as never });
    expect(told).toBe(result.text);
    for (const index of [0, 1, 2]) expect(cells.get(index)?.at(-1)).toBe("complete");
    expect([...cells.values()].flat().filter((status) => status === "complete")).toHaveLength(3);
  });

  test("a file that another program is just writing is waited for; one that stays broken ends the run", async () => {
    await using live = liveNotebook("bundled", testNotebook([]));
    const go = join(live.cwd, "go");
    live.write(testNotebook([`${waitFor(go)}\nprint("gone on")`, "2"]));
    const whole = readFileSync(live.path);
    const { shown: begun, onUpdate } = showing("begun");
    const running = live.runNotebook({}, { onUpdate });
    await begun;
    writeFileSync(live.path, whole.subarray(0, 300));
    writeFileSync(go, "");
    await Bun.sleep(100);
    writeFileSync(live.path, whole);
    expect((await running).isError).toBe(false);
    expect(live.read().cells.map(shown)).toEqual(["begun\ngone on\n", "2"]);
    live.write(testNotebook(["open('n.ipynb', 'w').write('{')", "open('ran', 'w')"]));
    const broken = await live.runNotebook();
    expect(broken.isError).toBe(true);
    expect(broken.text).toContain("The outputs could not be written: n.ipynb is not valid JSON");
    expect(existsSync(join(live.cwd, "ran"))).toBe(false);
  });

  test("a time limit of years is no limit", async () => {
    await using live = liveNotebook("bundled", testNotebook(["import time; time.sleep(0.1)"]));
    const { isError, details } = await live.runNotebook({ timeout: 1e9, totalTimeout: 1e12 });
    expect([isError, details.timedOut]).toEqual([false, false]);
  });

  test("a file that is gone is said once, and that nothing is saved", async () => {
    await using live = liveNotebook("bundled", testNotebook(["1", "import os; os.remove('n.ipynb')"]));
    const { text, details } = await live.runNotebook();
    expect(text.match(/The outputs could not be written: .*/g)).toEqual([
      "The outputs could not be written: Notebook not found: n.ipynb",
    ]);
    expect(details).toMatchObject({ saved: false, revision: null });
  });
});
