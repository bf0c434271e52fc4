import { EscapeParser } from "./escape-parser.ts";
import { ROW_UNITS, splitPoint } from "./terminal-row.ts";
import { SCREEN_ROWS, TerminalScreen } from "./terminal-screen.ts";

/** A control character that is more than a newline, a tab, CRLF or the colour of text. */
const NEEDS_SCREEN = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\r(?!\n)|\x1b(?!\[[\d;:]*m)/;
const NEEDS_COLOURED_SCREEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const COLOUR_OR_CRLF = /\x1b\[[\d;:]*m|\r(?=\n)/g;
/** The start of a colour, or half a surrogate pair, at the end of a chunk. */
const UNFINISHED = /(?:\x1b(?:\[[\d;:]{0,20})?|[\ud800-\udbff])$/;
const UNFINISHED_UNITS = 24;
/** Chunks are worked on in pieces of this many units, and plain text is given out when that much has come together. */
const PIECE_UNITS = 65_536;

/** The text of {@link TextSanitizer} for a whole output. */
export function sanitizeText(text: string): string {
  const sanitizer = new TextSanitizer();
  return sanitizer.write(text) + sanitizer.finish();
}

/**
 * The form for a person's terminal: as {@link sanitizeText}, but colours and attributes stay. Every line opens and ends its
 * own; nothing in it moves a cursor, sets a title, writes a clipboard, or hides text or links.
 */
export function sanitizeColoredText(text: string): string {
  const sanitizer = new TextSanitizer({ colors: true });
  return sanitizer.write(text) + sanitizer.finish();
}

/**
 * Makes a stream of terminal output plain: colours, links, titles and all other escape sequences and control characters go,
 * what `\r`, `\b`, cursor movements and erasing do to the text is done, CRLF becomes LF, broken surrogates and UTF-8 become
 * U+FFFD. However the stream is cut into chunks, the text is the same. Memory is bounded by a screen of rows.
 */
export class TextSanitizer {
  private readonly parser = new EscapeParser();
  private decoder: TextDecoder | undefined;
  /** The last rows, once something moved the cursor; until then they are `plain`. */
  private screen: TerminalScreen | undefined;
  private plain = "";
  private plainLimit = PIECE_UNITS;
  private unfinished = "";
  private live = "";

  /** With `live`, what can be shown while the stream runs is collected for `takeLive`; it cannot be had with `colors`. */
  constructor(private readonly options: { live?: boolean; colors?: false } | { live?: false; colors: true } = {}) {}

  /** Takes the next chunk and returns the text that has become final: no later chunk can change it. */
  write(chunk: string | Uint8Array): string {
    const text = this.unfinished + (typeof chunk === "string" ? chunk : this.decode(chunk));
    const tail = UNFINISHED.exec(text.slice(-UNFINISHED_UNITS))?.[0] ?? "";
    this.unfinished = tail;
    return this.writeWhole(tail === "" ? text : text.slice(0, -tail.length));
  }

  /** The text that is not final yet. All text so far is what `write` returned, and this. */
  get pending(): string {
    return this.screen?.text ?? this.plain;
  }

  /** What can be shown since the last call to somebody who watches; LiveView says what that is. */
  takeLive(): string {
    const text = this.live;
    this.live = "";
    return text;
  }

  /** Ends the line that is open, if one is, and makes all text final. Returns what was not. */
  startLine(): string {
    const final = this.writeUnfinished();
    if (this.screen !== undefined) this.screen.startLine();
    else if (this.plain !== "" && !this.plain.endsWith("\n")) return final + this.addPlain("\n") + this.finish();
    return final + this.finish();
  }

  /** Makes all text final, a character that was begun included, and returns what was not. */
  finish(): string {
    const final = this.writeUnfinished();
    const pending = this.pending;
    if (this.screen !== undefined) this.addLive(this.screen.takeRest());
    this.leaveScreen("");
    return final + pending;
  }

  private decode(chunk: Uint8Array): string {
    this.decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return this.decoder.decode(chunk, { stream: true });
  }

  private writeUnfinished(): string {
    const text = this.unfinished + (this.decoder?.decode() ?? "");
    this.unfinished = "";
    return this.writeWhole(text);
  }

  private writeWhole(text: string): string {
    const valid = text.toWellFormed();
    if (valid.length <= PIECE_UNITS) return this.writePiece(valid);
    let final = "";
    let rest = valid;
    while (rest !== "") {
      const end = splitPoint(rest, PIECE_UNITS);
      final += this.writePiece(rest.slice(0, end));
      rest = rest.slice(end);
    }
    return final;
  }

  private writePiece(text: string): string {
    if (this.screen !== undefined || !this.parser.isGround) return this.writeScreen(text);
    const plain = this.options.colors === true || !text.includes("\x1b") ? text : text.replace(COLOUR_OR_CRLF, "");
    if (!CONTROL.test(plain)) return this.addPlain(plain);
    const moved = text.search(this.options.colors === true ? NEEDS_COLOURED_SCREEN : NEEDS_SCREEN);
    if (moved === -1) return this.addPlain(text.replace(COLOUR_OR_CRLF, ""));
    // The line that the cursor moves in is the screen's from its start, which shows it only when it is complete.
    const start = text.slice(0, moved).lastIndexOf("\n") + 1;
    return this.addPlain(text.slice(0, start).replace(COLOUR_OR_CRLF, "")) + this.writeScreen(text.slice(start));
  }

  private writeScreen(text: string): string {
    this.screen ??= new TerminalScreen(this.plain, this.options.colors === true);
    this.parser.feed(text, this.screen);
    const final = this.screen.takeFinal();
    this.addLive(this.screen.takeLive());
    if (this.screen.isPlain) this.leaveScreen(this.screen.text);
    return final;
  }

  private leaveScreen(text: string): void {
    this.screen = undefined;
    this.plain = text;
    this.plainLimit = text.length + PIECE_UNITS;
  }

  private addPlain(text: string): string {
    this.addLive(text);
    if (this.plain.length + text.length < this.plainLimit) {
      this.plain += text;
      return "";
    }
    const inText = startOfLastLines(text);
    const whole = inText > 0 ? text : this.plain + text;
    const start = inText > 0 ? inText : startOfLastLines(whole);
    const final = (inText > 0 ? this.plain : "") + whole.slice(0, start);
    return final + this.keepPlain(whole.slice(start));
  }

  /** Keeps text that no more than a screen of lines is left of; lines longer than rows may make it too long still. */
  private keepPlain(text: string): string {
    if (text.length <= 2 * SCREEN_ROWS * ROW_UNITS) {
      this.leaveScreen(text);
      return "";
    }
    const screen = new TerminalScreen(text);
    const final = screen.takeFinal();
    this.leaveScreen(screen.text);
    return final;
  }

  private addLive(text: string): void {
    if (this.options.live === true) this.live += text;
  }
}

/** Where the last {@link SCREEN_ROWS} lines begin, 0 when there are fewer. */
function startOfLastLines(text: string): number {
  let start = text.length + 1;
  for (let lines = 0; lines < SCREEN_ROWS && start > 0; lines++)
    start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  return start;
}
