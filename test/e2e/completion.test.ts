import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { BINARY, runNuthatch, temporaryFolder } from "../nuthatch.ts";

const installed = (shell: string) => Bun.which(shell) !== null;

/** Starts a shell on a terminal, loads the completion, types `line` and a tab, and waits until the terminal shows `shown`. */
async function completes(shell: string[], setUp: string, line: string, shown: string): Promise<void> {
  using home = temporaryFolder();
  let screen = "";
  let waiting: { text: string; resolve(): void } | undefined;
  const waitFor = (text: string) =>
    new Promise<void>((resolve) => {
      if (screen.includes(text)) resolve();
      else waiting = { text, resolve };
    });
  const env = {
    HOME: home.path,
    PATH: `${dirname(BINARY)}:${process.env.PATH}`,
    TERM: "dumb",
    NUTHATCH_HOME: home.path,
  };
  const child = Bun.spawn(shell, {
    env,
    cwd: home.path,
    terminal: {
      cols: 200,
      rows: 50,
      data(_, bytes) {
        screen += Buffer.from(bytes).toString("utf8");
        if (waiting && screen.includes(waiting.text)) waiting.resolve();
      },
    },
  });
  child.terminal!.write(`${setUp}; echo lo''aded\n`);
  await waitFor("loaded");
  child.terminal!.write(`${line}\t`);
  await waitFor(shown);
  child.kill("SIGKILL");
  await child.exited;
}

const BASH: [string[], string] = [["bash", "--norc", "-i"], "source <(nuthatch completion bash)"];
const ZSH: [string[], string] = [
  ["zsh", "-f", "-i"],
  "autoload -Uz compinit; compinit -D -u; source <(nuthatch completion zsh)",
];

test.each([
  ["nuthatch compl", "nuthatch completion "],
  ["nuthatch --cwd / tools --form", "--format "],
  ["nuthatch tools --format open", "--format openai "],
  ["nuthatch --session a completion z", "completion zsh "],
  ["nuthatch notebook clear", "notebook clear_outputs "],
])("bash completes %p to %p", async (line, shown) => {
  await completes(...BASH, line, shown);
});

test.skipIf(!installed("zsh")).each([
  ["nuthatch compl", "nuthatch completion "],
  ["nuthatch --cwd / tools --form", "--format "],
  ["nuthatch tools --format open", "--format openai "],
  ["nuthatch --session a completion z", "completion zsh "],
  ["nuthatch notebook clear", "notebook clear_outputs "],
])("zsh completes %p to %p", async (line, shown) => {
  await completes(...ZSH, line, shown);
});

test.skipIf(!installed("fish")).each([
  ["nuthatch compl", /^completion\tPrint/m],
  ["nuthatch tools --form", /^--format\tshape/m],
  ["nuthatch tools --format ", /^openai\t/m],
  ["nuthatch completion ", /^zsh$/m],
])("fish completes %p", async (line, expected) => {
  using home = temporaryFolder();
  const env = { HOME: home.path, PATH: `${dirname(BINARY)}:${process.env.PATH}`, NUTHATCH_HOME: home.path };
  const script = `nuthatch completion fish | source; complete -C ${JSON.stringify(line)}`;
  const run = Bun.spawnSync(["fish", "--no-config", "-c", script], { env, cwd: home.path });
  expect(run.stdout.toString()).toMatch(expected);
});

test("an unknown shell is refused", async () => {
  using home = temporaryFolder();
  const run = await runNuthatch(["completion", "tcsh"], { home: home.path });
  expect([run.exitCode, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("the shells are bash, zsh, fish");
});
