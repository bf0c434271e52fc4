import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OTHER_GATEWAYS, OWN_GATEWAYS } from "./gateway-places.ts";
import { type LiveExecutor, PLACES } from "./live-executor.ts";
import { showing } from "./showing.ts";

for (const { kernel, missing, place, open } of [...PLACES, ...OWN_GATEWAYS, ...OTHER_GATEWAYS]) {
  describe.skipIf(missing)(`a python call on ${place}`, () => {
    let live: LiveExecutor;
    beforeAll(async () => {
      live = await open();
    }, 60_000);
    afterAll(() => live[Symbol.asyncDispose](), 60_000);

    test("runs cells in order in one kernel and shows each under its number and title", async () => {
      const { text, details, isError } = await live.run([{ code: "x = 20", title: "set" }, "print(x * 2); x + 2"]);
      expect(text).toBe("[1/2] set\n(ok)\n[2/2]\n40\n22\n");
      expect(
        details.cells.map(({ index, title, output, status, exitCode }) => [index, title, output, status, exitCode]),
      ).toEqual([
        [0, "set", "", "complete", 0],
        [1, null, "40\n22\n", "complete", 0],
      ]);
      expect(isError).toBe(false);
    });

    test("keeps its state for the next call", async () => {
      await live.run(["kept = 'still here'"]);
      expect((await live.run(["print(kept)"])).text).toBe("still here\n");
    });

    test("tells only the new text in its updates, and all of it", async () => {
      const updates: string[] = [];
      const onUpdate = (update: { content: { type: string; text?: string }[] }) =>
        updates.push(update.content.map((block) => block.text ?? "").join(""));
      const { text } = await live.run(
        ["import time\nfor i in range(3):\n    print(i, flush=True)\n    time.sleep(0.1)"],
        {},
        { onUpdate },
      );
      expect(updates.join("")).toBe(text);
      expect(updates.filter((update) => update !== "").length).toBeGreaterThanOrEqual(3);
    });

    test("ends at the first cell that fails; the ones after it stay pending and the state before it is kept", async () => {
      const { text, details, isError } = await live.run(["before = 1", "1/0", "after = 2"]);
      expect(isError).toBe(true);
      expect(text).toContain("ZeroDivisionError: division by zero");
      expect(text).toContain("Cell 2 of 3 failed");
      expect(details.cells.map((cell) => cell.status)).toEqual(["complete", "error", "pending"]);
      expect(details.cells.map((cell) => cell.exitCode)).toEqual([0, 1, null]);
      expect(details.error).toMatchObject({ name: "ZeroDivisionError", value: "division by zero" });
      expect((await live.run(["print(before, 'after' in globals())"])).text).toBe("1 False\n");
    });

    test("shows what a cell sends to the pager", async () => {
      const { text, details } = await live.run(["def twice(x):\n    'Doubles.'\n    return 2 * x", "twice?"]);
      expect(text).toContain("Doubles.");
      expect(details.cells[1]).toMatchObject({ status: "complete", exitCode: 0 });
    });

    test("answers input() with nothing, warns, and counts the cell as failed", async () => {
      const { text, details, isError } = await live.run(["name = input('name? ')\nprint(repr(name))"]);
      expect(text).toMatch(/^\[stdin\] .*name\? .*pass the data in the code\n/m);
      expect(text).toContain("''");
      expect(details).toMatchObject({ stdinRequested: true, cells: [{ status: "error" }] });
      expect(isError).toBe(true);
    });

    test("counts a cell that asks for input and then ends well by itself as failed too", async () => {
      const { details, isError } = await live.run(["input()\nimport sys; sys.exit(0)"]);
      expect(details).toMatchObject({ stdinRequested: true, cells: [{ status: "error" }] });
      expect(isError).toBe(true);
    });

    test("getpass, a debugger, a console and a child that reads stdin end too", async () => {
      const getpass = await live.run(["import getpass; print(repr(getpass.getpass('pw: ')))"]);
      expect(getpass.details.stdinRequested).toBe(true);
      const debuggerCall = await live.run(["import pdb; pdb.set_trace()\nprint('past it')"]);
      expect(debuggerCall.details).toMatchObject({ stdinRequested: true, timedOut: false });
      const console = await live.run(["kept = 1\nimport code; code.interact()"]);
      expect(console.details).toMatchObject({ stdinRequested: true, timedOut: false, cells: [{ status: "error" }] });
      expect((await live.run(["kept"])).text).toBe("1\n");
      const child = await live.run(["import subprocess; print(subprocess.run(['cat'], capture_output=True).stdout)"]);
      expect(child).toMatchObject({ text: "b''\n", isError: false });
    });

    test("interrupts at the timeout, says so, and keeps the state", async () => {
      await live.run(["marker = 5"]);
      const { text, details, isError } = await live.run(["print('begun', flush=True)\nwhile True: pass", "2"], {
        timeout: 1,
      });
      expect(text).toMatch(/^\[1\/2\]\nbegun\n/);
      expect(text).toContain("Command timed out after 1 seconds");
      expect(details).toMatchObject({ cancelled: true, timedOut: true });
      expect(details.cells.map((cell) => cell.status)).toEqual(["error", "pending"]);
      expect(isError).toBe(true);
      expect((await live.run(["print(marker)"])).text).toBe("5\n");
    });

    test("a cancelled call gives the output so far; a caught KeyboardInterrupt is cancelled all the same", async () => {
      const abort = new AbortController();
      const onUpdate = (update: { content: { text?: string }[] }) => {
        if (update.content.some((block) => block.text?.includes("waiting"))) abort.abort();
      };
      const code =
        "import time\ntry:\n    print('waiting', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('cleaned up')";
      const { text, details } = await live.run([code], {}, { signal: abort.signal, onUpdate: onUpdate as never });
      expect(text).toBe("waiting\ncleaned up\nCommand cancelled\n");
      expect(details).toMatchObject({ cancelled: true, timedOut: false, cells: [{ status: "error" }] });
    });

    test("a call that was cancelled did not time out, although its limit passed while the cell cleaned up", async () => {
      const begun = showing("waiting");
      const abort = new AbortController();
      const code =
        "import time\ntry:\n    print('waiting', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    time.sleep(0.9)";
      const running = live.run([code], { timeout: 1 }, { ...begun, signal: abort.signal });
      await begun.shown;
      setTimeout(() => abort.abort(), 300);
      const { text, details } = await running;
      expect(text).toBe("waiting\nCommand cancelled\n");
      expect(details).toMatchObject({ cancelled: true, timedOut: false });
    });

    test("sys.exit with nothing or 0 is done, another code a failure; the kernel lives on", async () => {
      await live.run(["alive = True"]);
      const done = await live.run(["import sys; print('bye'); sys.exit()", "1"]);
      expect(done.isError).toBe(false);
      expect(done.text).toContain("Cell 1 of 2 asked to exit; the cells after it did not run");
      expect(done.text).not.toContain("SystemExit");
      expect(done.details.cells.map(({ status, exitCode }) => [status, exitCode])).toEqual([
        ["complete", 0],
        ["pending", null],
      ]);
      expect((await live.run(["import sys; sys.exit(0)"])).isError).toBe(false);
      const failed = await live.run(["import sys; sys.exit(3)"]);
      expect(failed).toMatchObject({ isError: true, details: { cells: [{ status: "error", exitCode: 3 }] } });
      expect((await live.run(["print(alive)"])).text).toBe("True\n");
    });

    test("cuts the text at maxOutputBytes and counts all of it", async () => {
      const settings = { ...live.settings, maxOutputBytes: 1000 };
      const { text, details } = await live.run(["for i in range(1000): print(f'{i:09}')"], { settings });
      expect(details.meta).toMatchObject({ truncated: true, totalLines: 1000, totalBytes: 10_000 });
      expect(Buffer.byteLength(text)).toBeLessThan(2000);
    });

    test("who follows a call that is cut gets all of its text, and no word that only a part is shown", async () => {
      const settings = { ...live.settings, maxOutputBytes: 1000 };
      const updates: string[] = [];
      const onUpdate = (update: { content: { type: string; text?: string }[] }) =>
        updates.push(update.content.map((block) => block.text ?? "").join(""));
      const { text } = await live.run(["for i in range(1000): print(f'{i:09}')"], { settings }, { onUpdate });
      expect(text).toContain("[Output truncated");
      expect(updates.join("")).toBe(Array.from({ length: 1000 }, (_, i) => `${String(i).padStart(9, "0")}\n`).join(""));
    });

    test("an update changes the display that it names in the cell where it stands; a watcher is told its text", async () => {
      const updates: string[] = [];
      const onUpdate = (update: { content: { type: string; text?: string }[] }) =>
        updates.push(update.content.map((block) => block.text ?? "").join(""));
      const cells = [
        "from IPython.display import display\nprint('before')\nhandle = display('zero', display_id='d')",
        "silent = display({'x/none': 1}, raw=True, display_id='e')",
        "print('open', end='')\nhandle.update('one')\nprint(' line')\nsilent.update({'text/plain': 'late'}, raw=True)",
        "handle.update('two')",
        "_ = display('three', display_id='d')",
      ];
      const { text, details } = await live.run(cells, {}, { onUpdate });
      expect(text).toBe("[1/5]\nbefore\n'three'\n[2/5]\nlate\n[3/5]\nopen line\n[4/5]\n(ok)\n[5/5]\n'three'\n");
      const outputs = details.cells.map((cell) => cell.output);
      expect(outputs).toEqual(["before\n'three'\n", "late\n", "open line\n", "", "'three'\n"]);
      expect(updates.join("")).toBe(
        "[1/5]\nbefore\n'zero'\n[2/5]\n(ok)\n[3/5]\nopen\n'one'\n line\nlate\n[4/5]\n'two'\n(ok)\n[5/5]\n'three'\n",
      );
    });

    test("an update whose display has left memory, or is an earlier call's, stands at the end and names it", async () => {
      const settings = { ...live.settings, maxOutputBytes: 1000 };
      const show = "from IPython.display import display\nhandle = display('zero', display_id='d')";
      const long = `${show}\nfor i in range(400): print(f'{i:0999}')`;
      const update = "handle.update('one')\nhandle.update('two')";
      for (const cells of [[`${long}\n${update}`], [long, update]]) {
        expect((await live.run(cells, { settings })).text).toContain(
          "\n[display d, updated]\n'two'\n[Output truncated",
        );
      }
      expect((await live.run(["handle.update('three')"])).text).toBe("[display d, updated]\n'three'\n");
    });

    if (place === "python3") {
      test("a progress bar of widgets is as it stands at the end of the cell, of a later one too; a closed one is gone", async () => {
        const begin =
          "from tqdm.notebook import tqdm\nbar = tqdm(total=4, mininterval=0, bar_format='{l_bar}{bar}')\nbar.update(1);";
        const { text } = await live.run([begin, "bar.update(3)\nfor _ in tqdm(range(9), leave=False): pass"]);
        expect(text).toBe("[1/2]\n100% |██████████|\n[2/2]\n(ok)\n");
        const failed = await live.run([
          "for i in tqdm(range(4), mininterval=0, bar_format='{l_bar}{bar}'):\n  if i == 2: raise KeyError",
        ]);
        expect(failed.text).toStartWith("50% |█████     |\n---");
        const label =
          "import ipywidgets\nlabel = ipywidgets.HTML('')\ndisplay(label)\nlabel.value = '1 < 2 <b>bold</b>'";
        expect((await live.run([label])).text).toBe("1 < 2 bold\n");
      });
    }

    if (kernel !== "auto") {
      test("refuses a working directory that is not there before any kernel starts", async () => {
        await Bun.write(`${live.cwd}/file`, "");
        for (const name of ["missing", "file", "file/below", "x".repeat(300)]) {
          const cwd = `${live.cwd}/${name}`;
          const message = `Working directory does not exist: ${cwd}`;
          const refused = await live.run(["1"], { cwd }).catch((error) => error);
          expect(refused).toMatchObject({ code: "cwd_not_found", message });
        }
      });
    }

    test("runs in its working directory, which is importable, and leaves no name of its own behind", async () => {
      await Bun.write(`${live.cwd}/neighbour.py`, "word = 'found'");
      const { text } = await live.run(["import os, neighbour; print(os.getcwd(), neighbour.word)"]);
      expect(text).toBe(`${live.cwd} found\n`);
      const fresh = await live.run(["print([n for n in dir() if n in ('json', 'place', 'PLACE', 'os', 'sys')])"], {
        reset: true,
      });
      expect(fresh.text).toBe("[]\n");
    });
  });
}
