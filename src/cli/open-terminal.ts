import { detectTerminal, protocolOf, type Terminal } from "../render/terminal.ts";
import { queryTerminal, type TerminalChannel } from "../render/terminal-query.ts";
import type { Invocation } from "./command.ts";
import { writeOut } from "./standard-output.ts";

/** What standard output is: by the environment, and where a person sits there, by what the terminal says of itself. */
export async function openTerminal({ environment, switches }: Invocation): Promise<Terminal> {
  const noColor = switches.has("no-color") ? { NO_COLOR: "1" } : {};
  const known = detectTerminal(process.stdout, { ...environment, ...noColor });
  if (!known.interactive || known.colors === "none" || !process.stdin.isTTY) return known;
  const asked = await queryTerminal(known, standardChannel());
  return known.tmux ? { ...asked, pictures: picturesThroughTmux(asked.pictures) } : asked;
}

function standardChannel(): TerminalChannel {
  const { stdin } = process;
  return {
    write: writeOut,
    listen(onData) {
      const listener = (data: Buffer) => onData(data.toString("latin1"));
      stdin.setRawMode(true).on("data", listener).resume();
      return () => void stdin.off("data", listener).pause().setRawMode(false);
    },
  };
}

/** Inside tmux: the graphics of the terminal around it, if tmux lets sequences pass. */
function picturesThroughTmux(pictures: Terminal["pictures"]): Terminal["pictures"] {
  if (pictures !== "blocks") return pictures;
  const format = "#{client_termtype} #{client_termname} passthrough=#{allow-passthrough}";
  const answer = Bun.spawnSync(["tmux", "display-message", "-p", format], { stderr: "ignore" });
  const text = answer.success ? answer.stdout.toString() : "";
  return /passthrough=(?:on|all|1)/.test(text) ? (protocolOf(text) ?? pictures) : pictures;
}
