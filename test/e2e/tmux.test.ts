import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, temporaryFolder } from "../nuthatch.ts";
import { TerminalProgram } from "../pseudo-terminal.ts";
import { twoColors } from "../render/picture/sample-pictures.ts";

const PNG = Buffer.from(twoColors(40, 60)).toString("base64");

/** A home with a notebook of wide text and one picture. */
function homeWithNotebook() {
  const home = temporaryFolder();
  const outputs = [{ output_type: "display_data", metadata: {}, data: { "image/png": PNG } }];
  const cells = [
    { cell_type: "markdown", metadata: {}, source: "| a | b |\n|-|-|\n| 漢字 | x |\n| e\u0301 | x |" },
    { cell_type: "code", metadata: {}, execution_count: 1, source: "plot()", outputs },
  ];
  writeFileSync(
    join(home.path, "sample.ipynb"),
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }),
  );
  return home;
}

/** A tmux of its own in an emulator, in which a shell command runs; the socket lies in the test's folder. It ends with the test. */
function openTmux(home: string, command: string, configuration = "") {
  writeFileSync(
    join(home, "tmux.conf"),
    `set -g status off\nset -g default-terminal tmux-256color\nset -as terminal-features ",*:RGB"\n${configuration}`,
  );
  const argv = ["tmux", "-S", join(home, "socket"), "-f", join(home, "tmux.conf"), "new-session", command];
  const env = { NUTHATCH_HOME: home, COLORTERM: "truecolor", NO_COLOR: undefined, TMUX: undefined, LC_ALL: "C.UTF-8" };
  const program = new TerminalProgram(argv, { columns: 60, rows: 24, cwd: home, env });
  const close = program[Symbol.asyncDispose].bind(program);
  program[Symbol.asyncDispose] = async () => {
    Bun.spawnSync(["tmux", "-S", join(home, "socket"), "kill-server"]);
    await close();
  };
  return program;
}

const SHOW = `'${BINARY}' show --no-pager sample.ipynb; echo finished; exec sleep 600`;
const hasFinished = (rows: string[]) => rows.includes("finished");

describe.skipIf(Bun.which("tmux") === null)("in tmux", () => {
  test("a notebook is drawn with columns in line and a picture of half blocks", async () => {
    using home = homeWithNotebook();
    await using tmux = openTmux(home.path, SHOW);
    const rows = await tmux.waitFor(hasFinished);
    expect(rows.slice(2, 6)).toEqual(["a    │ b", "─────┼──", "漢字 │ x", "e\u0301    │ x"]);
    expect(rows.filter((row) => row === "│ ▀▀▀▀")).toHaveLength(3);
  });

  test("cells that run leave no copies of themselves in the history, and the title as it was", async () => {
    using home = temporaryFolder();
    const cell = "import time\nfor step in range(30): print(step, flush=True); time.sleep(0.03)";
    writeFileSync(join(home.path, "cell.py"), cell);
    const run = `'${BINARY}' python --in-process --kernel bundled cell.py`;
    const ask = "tmux capture-pane -p -S - > history; tmux display-message -p '#{pane_title}' > title";
    await using tmux = openTmux(
      home.path,
      `printf '\\033]2;mine\\033\\\\'; ${run}; ${ask}; echo finished; exec sleep 600`,
    );
    await tmux.waitFor((rows) => rows.includes("finished"));
    const history = readFileSync(join(home.path, "history"), "utf8").split("\n");
    expect(history.filter((row) => row.startsWith("╭─"))).toHaveLength(1);
    expect(history.filter((row) => row === "│ 29")).toHaveLength(1);
    expect(readFileSync(join(home.path, "title"), "utf8")).toBe("mine\n");
  });

  test("a picture reaches a kitty around it, by placeholders that tmux moves like text", async () => {
    using home = homeWithNotebook();
    await using tmux = openTmux(home.path, SHOW, "set -g allow-passthrough on\n");
    tmux.answer = (text) => (text.includes("\x1b[>q") ? "\x1bP>|kitty(0.35.2)\x1b\\" : "");
    const rows = await tmux.waitFor(hasFinished);
    const sent = /\x1b_Ga=T,U=1,f=100,q=2,i=\d+,c=4,r=3,m=0;([^\x1b]*)\x1b\\/.exec(tmux.raw);
    expect(sent?.[1]).toBe(PNG);
    const placeholders = rows.filter((row) => row.includes("\u{10eeee}"));
    expect(placeholders.map((row) => [...row].filter((character) => character === "\u{10eeee}").length)).toEqual([
      4, 4, 4,
    ]);
  });
});
