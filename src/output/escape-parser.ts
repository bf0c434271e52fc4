/** What a stream of terminal output does, apart from the bytes that it is written in. */
export interface EscapeHandler {
  /** Text without control characters, tabs excepted. */
  write(text: string): void;
  newline(): void;
  moveTo(column: number): void;
  moveUp(count: number): void;
  readonly column: number;
  /** A complete control sequence (CSI): its final byte and its parameter bytes. */
  control(final: string, parameters: string): void;
}

type State = "ground" | "escape" | "intermediate" | "control" | "string" | "stringEscape";

const SPECIAL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/** BEL, CAN, SUB, ESC and ST can end a string. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;
/** A string or control sequence that goes on for longer is given up, so that a stray introducer cannot swallow all output. */
const MAX_STRING_UNITS = 1_000_000;
const MAX_CONTROL_UNITS = 256;

/**
 * Splits terminal output into text and what moves the cursor (ECMA-48 and its 8-bit forms) and drops all else: OSC, DCS,
 * APC, PM and SOS strings, escape sequences, other controls. It keeps its state, so a stream may be cut anywhere.
 */
export class EscapeParser {
  private state: State = "ground";
  /** How many units the open string or sequence has taken, and the parameters of a control sequence. */
  private taken = 0;
  private parameters = "";
  private isCommand = false;

  /** No sequence is open. */
  get isGround(): boolean {
    return this.state === "ground";
  }

  feed(chunk: string, handler: EscapeHandler): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.state === "ground") index = this.readGround(chunk, index, handler);
      else if (this.state === "string") index = this.readString(chunk, index);
      else index = this.readUnit(chunk, index, handler);
    }
  }

  private readGround(chunk: string, start: number, handler: EscapeHandler): number {
    SPECIAL.lastIndex = start;
    if (!SPECIAL.test(chunk)) {
      handler.write(start === 0 ? chunk : chunk.slice(start));
      return chunk.length;
    }
    const end = SPECIAL.lastIndex - 1;
    if (end > start) handler.write(chunk.slice(start, end));
    this.runControl(chunk.charCodeAt(end), handler);
    return end + 1;
  }

  private runControl(code: number, handler: EscapeHandler): void {
    if (code === 0x0a) handler.newline();
    else if (code === 0x0d) handler.moveTo(0);
    else if (code === 0x08) handler.moveTo(handler.column - 1);
    else if (code === 0x1b) this.state = "escape";
    else if (code === 0x9b) this.openControl();
    else if (code === 0x9d) this.openString(true);
    else if (code === 0x90 || code === 0x98 || code === 0x9e || code === 0x9f) this.openString(false);
  }

  private openControl(): void {
    this.state = "control";
    this.parameters = "";
    this.taken = 0;
  }

  private openString(isCommand: boolean): void {
    this.state = "string";
    this.isCommand = isCommand;
    this.taken = 0;
  }

  private readString(chunk: string, start: number): number {
    const limit = Math.min(chunk.length, start + MAX_STRING_UNITS - this.taken);
    STRING_END.lastIndex = start;
    const found = STRING_END.test(chunk) ? STRING_END.lastIndex - 1 : chunk.length;
    const end = Math.min(found, limit);
    this.taken += end - start;
    if (this.taken >= MAX_STRING_UNITS) {
      this.state = "ground";
      return end;
    }
    if (found === chunk.length) return end;
    const code = chunk.charCodeAt(found);
    if (code === 0x1b) this.state = "stringEscape";
    else if (code !== 0x07 || this.isCommand) this.state = "ground";
    else this.taken++;
    return found + 1;
  }

  /** Reads one unit inside a sequence; one that does not belong there ends it and is read again as what it is. */
  private readUnit(chunk: string, index: number, handler: EscapeHandler): number {
    const code = chunk.charCodeAt(index);
    if (this.state === "control") return this.readControl(chunk, code, index, handler);
    if (this.state === "intermediate") {
      if (code >= 0x20 && code < 0x30) return index + 1;
      this.state = "ground";
      return code >= 0x30 && code < 0x7f ? index + 1 : index;
    }
    const wasString = this.state === "stringEscape";
    this.state = "ground";
    if (wasString && code === 0x5c) return index + 1;
    return this.readEscape(code, index, handler);
  }

  private readEscape(code: number, index: number, handler: EscapeHandler): number {
    if (code < 0x20 || code > 0x7e) return index;
    if (code < 0x30) this.state = "intermediate";
    else if (code === 0x5b) this.openControl();
    else if (code === 0x5d) this.openString(true);
    else if (code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f) this.openString(false);
    else if (code === 0x4d) handler.moveUp(1);
    return index + 1;
  }

  private readControl(chunk: string, code: number, index: number, handler: EscapeHandler): number {
    if (code >= 0x20 && code < 0x40 && this.parameters.length < MAX_CONTROL_UNITS) {
      this.parameters += chunk[index];
      return index + 1;
    }
    this.state = "ground";
    if (code < 0x40 || code > 0x7e) return index;
    handler.control(chunk[index] as string, this.parameters);
    return index + 1;
  }
}
