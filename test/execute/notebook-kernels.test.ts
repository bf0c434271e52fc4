// Notebooks of other languages, on the kernels of bash and R (needs .venv and IRkernel).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../nuthatch.ts";
import { liveNotebook, shown, testNotebook } from "./live-notebook.ts";

const PYTHON = join(import.meta.dir, "../../.venv/bin/python");
const hasBash = existsSync(PYTHON);
const hasR = Bun.which("R") !== null && existsSync("/usr/share/jupyter/kernels/ir");

const spec = (name: string | undefined, language: string | undefined) => ({
  kernelspec: { ...(name && { name, display_name: name }), ...(language && { language }) },
});

let prefix: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;

beforeAll(() => {
  prefix = temporaryFolder();
  env = { JUPYTER_PATH: join(prefix.path, "share", "jupyter") };
  if (hasBash) Bun.spawnSync([PYTHON, "-m", "bash_kernel.install", "--prefix", prefix.path]);
});

afterAll(() => prefix[Symbol.dispose]());

describe.skipIf(!hasBash)("a bash notebook", () => {
  test("runs on its kernelspec, with state, errors and parameters", async () => {
    const tagged = { source: "name=default\ncount=0", metadata: { tags: ["parameters"] } };
    const cells = [tagged, 'echo "$name $count"', "false", "echo after"];
    await using live = liveNotebook("auto", testNotebook(cells, spec("bash", "bash")), { env });
    const result = await live.runNotebook({ parameters: { name: "it's $HOME", count: 3 } });
    expect(result.details).toMatchObject({ kernel: "bash", failedCell: 3 });
    expect(live.read().cells.map(({ source }) => [source].flat().join(""))[1]).toBe(
      `# Parameters\nname='it'"'"'s $HOME'\ncount=3\n`,
    );
    expect(shown(live.read().cells[2])).toBe("it's $HOME 3\n");
    expect(live.read().cells.at(-1)?.outputs).toEqual([]);
  });

  test("has a cell that was interrupted as one that failed, with what it had printed", async () => {
    await using live = liveNotebook("auto", testNotebook(["echo begun; sleep 60", "echo on"], spec("bash", "bash")), {
      env,
    });
    const { details, text } = await live.runNotebook({ timeout: 1 });
    expect(details.cells.map(({ status }) => status)).toEqual(["error", "pending"]);
    expect(details).toMatchObject({ executed: 1, failedCell: 0, timedOut: true, error: null });
    expect(text).toContain("begun\n");
  });

  test("is found by its language where its kernelspec is not there", async () => {
    await using live = liveNotebook("auto", testNotebook(["echo $((6 * 7))"], spec("my-own-bash", "bash")), { env });
    const result = await live.runNotebook();
    expect(result.details.kernel).toBe("bash");
    expect(shown(live.read().cells[0])).toBe("42\n");
  });

  test("is found where only the caller's environment has its kernelspec, and not the gateway's", async () => {
    await using live = liveNotebook("auto", testNotebook(["echo $((6 * 7))"], spec("bash", "bash")));
    const { environment } = live.request([]);
    const result = await live.runNotebook({ environment: { ...environment, ...env } });
    expect(result.details.kernel).toBe("bash");
  });
});

test.skipIf(!hasR)("an R notebook runs on its kernelspec, with pictures, errors and parameters", async () => {
  const cells = ["x <- factor * 2\nx", "plot(1:3)", "data.frame(a = 1:2)", "stop('no')"];
  await using live = liveNotebook("auto", testNotebook(cells, spec("ir", "R")), { env });
  const result = await live.runNotebook({ parameters: { factor: 21, flag: true } });
  expect(result.details).toMatchObject({ kernel: "ir", failedCell: 4 });
  const [, first, plot, frame, stop] = live.read().cells;
  expect(first?.outputs[0].data["text/plain"]).toEqual(["[1] 42"]);
  expect(Object.keys(plot?.outputs[0].data)).toContain("image/png");
  expect(Object.keys(frame?.outputs[0].data)).toContain("text/html");
  expect(stop?.outputs.some(({ output_type }) => output_type === "error")).toBe(true);
});

test("a Python notebook with a kernelspec of another host runs on this one's Python", async () => {
  await using live = liveNotebook("auto", testNotebook(["6 * 7"], spec("conda-env-other-py", "python")), { env });
  await live.runNotebook();
  expect(shown(live.read().cells[0])).toBe("42");
  live.write(testNotebook(["6 * 7"], {}));
  expect(
    (await live.runNotebook({ settings: { ...live.settings, kernel: "bundled" }, restart: true })).details.kernel,
  ).toBe("nuthatch");
});

test("a language that no kernel speaks is said with the kernels that there are, and nothing is changed", async () => {
  await using live = liveNotebook("auto", testNotebook(["1"], spec("cobol-85", "COBOL")), { env });
  const edits = [{ action: "edit", id: "a", content: "2" }] as const;
  const error = await live.runNotebook({ edits }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "kernelspec_not_found", data: { kernel: "cobol-85", language: "COBOL" } });
  expect(error.message).toContain("The notebook needs the kernel cobol-85 of the language COBOL");
  expect(error.hint).toContain("nuthatch");
  if (hasBash) expect(error.hint).toContain("bash");
  expect(live.read().cells[0]?.source).toBe("1");
  const named = await live.runNotebook({ settings: { ...live.settings, kernel: "nowhere" } }).catch((thrown) => thrown);
  expect(named.code).toBe("kernelspec_not_found");
});

test("parameters take the place of those of the run before", async () => {
  const tagged = { source: "x = 0", metadata: { tags: ["parameters"] } };
  await using live = liveNotebook("bundled", testNotebook(["'first'", tagged, "x"]));
  const first = await live.runNotebook({ parameters: { x: 1 }, cells: ["c"] });
  expect(first.text).toStartWith("Put the parameters into a new cell 2.\n");
  expect(first.details.cells.map(({ index }) => index)).toEqual([2, 3]);
  const { id } = live.read().cells[2] as { id: string };
  expect(live.read().cells[2]).toMatchObject({
    metadata: { tags: ["injected-parameters"] },
    source: ["# Parameters\n", "x = 1\n"],
  });
  const second = await live.runNotebook({ parameters: { x: [2, "two"] } });
  expect(second.text).toStartWith("Set the parameters in cell 2.\n");
  expect(live.read().cells.map((cell) => cell.id)).toEqual(["a", "b", id, "c"]);
  expect(shown(live.read().cells[3])).toBe("[2, 'two']");
});
