import { describe, expect, test } from "bun:test";
import { detectTerminal } from "../../src/render/terminal.ts";
import { queryTerminal } from "../../src/render/terminal-query.ts";
import { Screen } from "../screen.ts";

const TTY = { isTTY: true, columns: 100, rows: 30 };
const detect = (environment: Record<string, string>, stream: object = TTY) => detectTerminal(stream, environment);

describe("a terminal by its environment", () => {
  test.each([
    [{ TERM: "xterm" }, "16"],
    [{ TERM: "xterm-256color" }, "256"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "truecolor"],
    [{ TERM: "xterm-kitty" }, "truecolor"],
    [{ TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
    [{ TERM: "xterm-256color", NO_COLOR: "" }, "256"],
    [{ TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: "3" }, "none"],
    [{ TERM: "dumb" }, "none"],
    [{ TERM: "xterm", FORCE_COLOR: "3" }, "truecolor"],
  ])("with %j shows colours: %s", (environment, colors) => expect(detect(environment).colors).toBe(colors as never));

  test("has no colours, pictures or person where the stream is no terminal, unless colours are forced", () => {
    const pipe = detect({ TERM: "xterm-kitty" }, {});
    expect(pipe).toMatchObject({ interactive: false, colors: "none", pictures: "none", width: 80 });
    expect(detect({ FORCE_COLOR: "1", COLUMNS: "120" }, {})).toMatchObject({ colors: "16", width: 120 });
  });

  test("is drawn for from 20 to 400 columns", () => {
    expect(detect({}, { isTTY: true, columns: 4 }).width).toBe(20);
    expect(detect({}, { isTTY: true, columns: 1000 }).width).toBe(400);
  });

  test("shows pictures by its own protocol, else by half blocks where it has the colours", () => {
    const pictures = (environment: Record<string, string>) => detect(environment).pictures;
    expect(pictures({ TERM: "xterm-kitty" })).toBe("kitty");
    expect(pictures({ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" })).toBe("kitty");
    expect(pictures({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" })).toBe("iterm");
    expect(pictures({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" })).toBe("iterm");
    expect(pictures({ TERM: "xterm-256color" })).toBe("blocks");
    expect(pictures({ TERM: "vt100" })).toBe("none");
    expect(pictures({ TERM: "tmux-256color", TMUX: "/tmp/tmux,1,0", LC_TERMINAL: "iTerm2" })).toBe("blocks");
  });

  test("is light or dark by COLORFGBG", () => {
    expect(detect({ COLORFGBG: "0;15" }).light).toBe(true);
    expect(detect({ COLORFGBG: "15;default;0" }).light).toBe(false);
  });
});

describe("a terminal that is asked", () => {
  const known = detect({ TERM: "xterm-256color" });
  const answering = (answers: string[]) => {
    let listener: (text: string) => void = () => undefined;
    let stopped = 0;
    const channel = {
      write: () => {
        for (const answer of answers) setTimeout(() => listener(answer));
      },
      listen: (onData: (text: string) => void) => {
        listener = onData;
        return () => void stopped++;
      },
    };
    return { channel, stops: () => stopped };
  };

  test("tells its background, its cells and its graphics, in any pieces", async () => {
    const answers = "\x1b]11;rgb:ffff/fafa/e0e0\x1b\\\x1b[6;18;9t\x1bP>|foot(1.16)\x1b\\\x1b[?62;4;22c";
    const { channel, stops } = answering(answers.match(/[\s\S]{1,7}/g) as string[]);
    expect(await queryTerminal(known, channel)).toMatchObject({
      light: true,
      cell: { width: 9, height: 18 },
      pictures: "sixel",
    });
    expect(stops()).toBe(1);
  });

  test("has kitty's graphics where it says so, and iTerm2's by its name", async () => {
    expect((await queryTerminal(known, answering(["\x1b_Gi=31;OK\x1b\\", "\x1b[?62;c"]).channel)).pictures).toBe(
      "kitty",
    );
    expect((await queryTerminal(known, answering(["\x1bP>|WezTerm 2024\x1b\\\x1b[?65;4c"]).channel)).pictures).toBe(
      "iterm",
    );
  });

  test("stays what it was where it answers nothing, or nonsense", async () => {
    expect(await queryTerminal(known, answering([]).channel)).toEqual(known);
    expect(await queryTerminal(known, answering(["\x1b[6;0;999999t\x1b]11;rgb:zz/\x1b\\\x1b[?c"]).channel)).toEqual(
      known,
    );
  });

  test("is a real emulator here, and shows nothing of the questions", async () => {
    const screen = new Screen(80, 10);
    const answer = await queryTerminal(known, {
      write: (text) => screen.write(text),
      listen: (onData) => {
        const subscription = screen.terminal.onData(onData);
        return () => subscription.dispose();
      },
    });
    expect(answer.pictures).toBe("blocks");
    expect(await screen.read()).toEqual([]);
  });
});
