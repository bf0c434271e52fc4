import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";

const SCRIPT = `# %% Slow
import os, time
for number in range(200):
    print("漢字", number, flush=True)
    while number == 5 and not os.path.exists("go on"): time.sleep(0.01)
# %% Fails
raise ValueError("\\x1b]0;title\\x07no")
# %%
print("never")
`;

/** `nuthatch python` on a terminal of 60 columns, with a kernel that needs nothing installed. */
function open(home: string, words: string[]): TerminalProgram {
  const env = { NUTHATCH_HOME: home, NUTHATCH_KERNEL: "bundled", NO_COLOR: undefined, TMUX: undefined };
  return new TerminalProgram([BINARY, "python", "--in-process", ...words], { columns: 60, rows: 40, cwd: home, env });
}

/** Whether the program has left the cursor to be seen, and lines to wrap. */
function isGivenBack(raw: string): boolean {
  const last = (sequence: string) => raw.lastIndexOf(sequence);
  return last("\x1b[?25h") > last("\x1b[?25l") && last("\x1b[?7h") > last("\x1b[?7l");
}

describe("nuthatch python in a terminal", () => {
  test("draws its cells while they run, follows the terminal's size, and shows all of the output at the end", async () => {
    using home = temporaryFolder();
    writeFileSync(join(home.path, "script.py"), SCRIPT);
    await using program = open(home.path, ["script.py"]);
    const running = await program.waitFor((rows) => rows.includes("│ 漢字 5"));
    expect(running.filter((row) => row.startsWith("╭─")).map((row) => row.replace(/Slow .*/, "Slow").slice(5))).toEqual(
      ["[1/3] Slow", "[2/3] Fails", "[3/3]"],
    );
    program.resize(30, 40);
    await program.waitFor((rows) => rows.includes('│     print("漢字", number, fl'));
    writeFileSync(join(home.path, "go on"), "");
    expect(await program.exited()).toBe(1);
    const rows = await program.screen.read();
    expect(rows.filter((row) => row.startsWith("╭─"))).toHaveLength(3);
    expect(rows).toContain("│ 漢字 199");
    expect(rows.join("\n")).toContain("ValueError: no");
    expect(rows.findLast((row) => row.startsWith("╭─"))).toBe("╭─ ○ [3/3]");
    expect(program.screen.titles).toEqual([]);
    expect(isGivenBack(program.raw)).toBe(true);
  });

  test("gives the terminal back when it is interrupted", async () => {
    using home = temporaryFolder();
    await using program = open(home.path, ["-c", "import time\nprint('started')\ntime.sleep(60)"]);
    await program.waitFor((rows) => rows.includes("│ started"));
    program.type("\x03");
    expect(await program.exited()).toBe(130);
    expect((await program.screen.read())[0]).toStartWith("╭─ ✗");
    expect(isGivenBack(program.raw)).toBe(true);
  });

  test("leaves nothing but the error of a call that could not begin", async () => {
    using home = temporaryFolder();
    await using program = open(home.path, ["-c", "1", "--cwd", "/no/such"]);
    expect(await program.exited()).toBe(1);
    expect(await program.screen.read()).toEqual(["nuthatch: error: Working directory does not exist: /no/such"]);
    expect(isGivenBack(program.raw)).toBe(true);
  });
});
