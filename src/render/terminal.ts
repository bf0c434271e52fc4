import type { PictureProtocol } from "./picture/picture-painter.ts";
import type { ColorDepth } from "./theme.ts";

/** What a terminal is and can do; of a file or a pipe the least of everything. */
export interface Terminal {
  /** A person sits there, and what is drawn can be drawn again. */
  interactive: boolean;
  colors: ColorDepth;
  light: boolean;
  /** Columns within which everything is drawn, from 20 to 400. */
  width: number;
  rows: number;
  pictures: PictureProtocol;
  /** Sequences for the real terminal must pass through tmux. */
  tmux: boolean;
  /** tmux or screen stands between, also one at the other end of an ssh: they make a title of kitty's commands. */
  multiplexed: boolean;
  /** Pixels of a cell. */
  cell: { width: number; height: number };
}

/** The part of a TTY stream that is asked for its size; both change while a process runs. */
export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

type Environment = Record<string, string | undefined>;

const NARROWEST = 20;
const WIDEST = 400;

/** Knows a terminal by its environment alone; what the terminal says of itself (see queryTerminal) is better where it answers. */
export function detectTerminal(stream: OutputStream, environment: Environment): Terminal {
  const interactive = stream.isTTY === true && environment.TERM !== "dumb";
  const colors = detectColors(interactive, environment);
  return {
    interactive,
    colors,
    light: isLight(environment.COLORFGBG),
    width: boundWidth(stream.columns ?? (Number(environment.COLUMNS) || 80)),
    rows: stream.rows ?? (Number(environment.LINES) || 24),
    pictures: interactive ? detectPictures(colors, environment) : "none",
    tmux: environment.TMUX !== undefined,
    multiplexed: isMultiplexed(environment),
    cell: { width: 10, height: 20 },
  };
}

/** The columns to draw for: no terminal is so narrow or so wide that drawing for it would make sense. */
export function boundWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, columns));
}

/** NO_COLOR (no-color.org) wins, then FORCE_COLOR, then what the terminal says it is. */
function detectColors(interactive: boolean, environment: Environment): ColorDepth {
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, COLORTERM = "", TERM = "" } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return "none";
  const forced = ({ "0": "none", false: "none", "1": "16", "2": "256", "3": "truecolor" } as const)[FORCE_COLOR ?? ""];
  if (forced !== undefined) return forced;
  const wanted = FORCE_COLOR !== undefined || (CLICOLOR_FORCE !== undefined && CLICOLOR_FORCE !== "0");
  if (!interactive && !wanted) return "none";
  if (/truecolor|24bit/i.test(COLORTERM) || /-direct$|kitty|ghostty|alacritty|wezterm|foot/.test(TERM))
    return "truecolor";
  if (environment.WT_SESSION !== undefined || /iTerm|WezTerm|ghostty|vscode/.test(environment.TERM_PROGRAM ?? ""))
    return "truecolor";
  return /256/.test(TERM) ? "256" : "16";
}

/** COLORFGBG (rxvt, Konsole and others) ends with the number of the background's colour. */
function isLight(colors: string | undefined): boolean {
  const background = Number(colors?.split(";").at(-1) ?? Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

function isMultiplexed({ TMUX, STY, TERM = "" }: Environment): boolean {
  return TMUX !== undefined || STY !== undefined || /^(?:tmux|screen)/.test(TERM);
}

/** The protocol of a terminal that names itself; half blocks need 256 colours. Inside tmux the names are tmux's or inherited. */
function detectPictures(colors: ColorDepth, environment: Environment): PictureProtocol {
  const blocks = colors === "truecolor" || colors === "256" ? "blocks" : "none";
  if (isMultiplexed(environment)) return blocks;
  return (
    protocolOf(`${environment.TERM_PROGRAM ?? ""} ${environment.TERM ?? ""} ${environment.LC_TERMINAL ?? ""}`) ?? blocks
  );
}

/** The protocol of a terminal by any of the names that it has: TERM, TERM_PROGRAM, or its answer to XTVERSION. */
export function protocolOf(names: string): PictureProtocol | undefined {
  if (/kitty|ghostty/i.test(names)) return "kitty";
  return /iterm|wezterm|mintty/i.test(names) ? "iterm" : undefined;
}
