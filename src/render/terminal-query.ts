import type { Terminal } from "./terminal.ts";
import { protocolOf } from "./terminal.ts";

/** The terminal's two directions; `setRawMode` keeps its answers from being echoed. */
export interface TerminalChannel {
  write(text: string): void;
  /** Hands over what arrives until the returned function is called. */
  listen(onData: (text: string) => void): () => void;
}

/** Longest time that an answer may take, for a terminal far away or one that answers nothing. */
const PATIENCE_MS = 300;

/**
 * What is asked (xterm, "Control Sequences"; kitty, "Querying support"): background colour, size of a cell, graphics, name. The
 * last one, device attributes, every terminal answers, and answers come in order.
 */
const GRAPHICS = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
const questions = ({ multiplexed }: Terminal) => `\x1b]11;?\x1b\\\x1b[16t${multiplexed ? "" : GRAPHICS}\x1b[>q\x1b[c`;
const LAST_ANSWER = /\x1b\[\?([\d;]*)c/;

/** Asks a terminal what it is. What it does not answer stays as it was known before. */
export async function queryTerminal(known: Terminal, channel: TerminalChannel): Promise<Terminal> {
  const answers = await ask(channel, questions(known));
  const background = answers.match(/\x1b\]11;rgb:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i);
  const cell = answers.match(/\x1b\[6;(\d+);(\d+)t/);
  return {
    ...known,
    light: background === null ? known.light : luminance(background.slice(1)) > 0.5,
    cell: readCell(cell) ?? known.cell,
    pictures: readPictures(answers, known),
  };
}

function ask(channel: TerminalChannel, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answers = "";
    const finish = () => {
      clearTimeout(timer);
      stop();
      resolve(answers);
    };
    const timer = setTimeout(finish, PATIENCE_MS);
    const stop = channel.listen((answer) => {
      answers += answer;
      if (LAST_ANSWER.test(answers)) finish();
    });
    channel.write(text);
  });
}

function readPictures(answers: string, known: Terminal): Terminal["pictures"] {
  if (known.pictures !== "blocks" && known.pictures !== "none") return known.pictures;
  const name = answers.match(/\x1bP>\|([^\x1b]*)\x1b\\/)?.[1] ?? "";
  const named = known.tmux ? undefined : protocolOf(name);
  if (named !== undefined) return named;
  if (!known.tmux && /\x1b_Gi=31;OK/.test(answers)) return "kitty";
  const attributes = answers.match(LAST_ANSWER)?.[1]?.split(";") ?? [];
  return attributes.slice(1).includes("4") ? "sixel" : known.pictures;
}

function readCell(answer: RegExpMatchArray | null): Terminal["cell"] | undefined {
  const [height, width] = [Number(answer?.[1]), Number(answer?.[2])];
  return width >= 2 && width <= 100 && height >= 4 && height <= 200 ? { width, height } : undefined;
}

/** Relative luminance, 0 to 1, of a colour in hexadecimal parts of any length. */
function luminance(parts: string[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
