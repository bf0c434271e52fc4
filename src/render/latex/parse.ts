import { DROPPED, FENCES, IGNORED, PLAIN, SPACES, TEXT } from "./commands.ts";
import type { Formula } from "./model.ts";
import { ACCENTS, ALPHABETS, FUNCTIONS, SYMBOLS } from "./symbols.ts";

const TOKENS = /\\[a-zA-Z]+\*?|\\[\s\S]|%[^\n]*\n?|\s+|[\s\S]/gu;
const DEEPEST = 40;
/** Reads LaTeX math. What it does not know stays as it was written; it never fails. */
export function parseLatex(tex: string): Formula {
  return new LatexReader(tex).read();
}

/** A recursive reader over tokens; `#depth` bounds its recursion on hostile input. */
class LatexReader {
  readonly #tokens: string[];
  #next = 0;
  #depth = 0;

  constructor(tex: string) {
    this.#tokens = (tex.match(TOKENS) ?? []).filter((token) => !token.startsWith("%"));
  }

  read(): Formula {
    const parts: Formula[] = [];
    while (this.#next < this.#tokens.length) {
      const rows = this.#rows(() => false);
      const single = rows.length === 1 && rows[0]?.length === 1;
      parts.push(single ? (rows[0]![0] as Formula) : { kind: "rows", open: "", close: "", align: "alternate", rows });
      this.#next++;
    }
    return group(parts);
  }

  /** Cells and rows until `ends` holds or nothing is left. */
  #rows(ends: (token: string) => boolean): Formula[][] {
    const rows: Formula[][] = [[]];
    while (this.#next < this.#tokens.length) {
      rows
        .at(-1)!
        .push(group(this.#parts((token) => token === "&" || token === "\\\\" || token === "}" || ends(token))));
      const token = this.#tokens[this.#next];
      if (token === undefined || (token !== "&" && token !== "\\\\")) break;
      this.#next++;
      if (token === "\\\\") rows.push([]);
    }
    const last = rows.at(-1)!;
    if (rows.length > 1 && last.every(isEmpty)) rows.pop();
    return rows;
  }

  #parts(ends: (token: string) => boolean): Formula[] {
    const parts: Formula[] = [];
    for (let token = this.#tokens[this.#next]; token !== undefined && !ends(token); token = this.#tokens[this.#next]) {
      this.#next++;
      if (token === "^" || token === "_") parts.push(this.#script(parts.pop() ?? symbol(""), token));
      else if (token === "'") parts.push(this.#addScript(parts.pop() ?? symbol(""), "above", symbol("′")));
      else if (!/^\s/.test(token)) parts.push(this.#atom(token));
    }
    return parts;
  }

  #script(base: Formula, token: string): Formula {
    return this.#addScript(base, token === "^" ? "above" : "below", this.#argument());
  }

  #addScript(base: Formula, place: "above" | "below", script: Formula): Formula {
    if (base.kind !== "script") return { kind: "script", base, [place]: script };
    const old = base[place];
    return { ...base, [place]: old === undefined ? script : group([old, script]) };
  }

  #atom(token: string): Formula {
    if (token === "{") return this.#braces();
    if (token in SPACES) return symbol(SPACES[token] as string);
    if (token.startsWith("\\")) return this.#command(token.slice(1));
    return symbol(token === "-" ? "−" : token === "&" || token === "}" ? "" : token);
  }

  /** The inside of braces; the opening one is read already. */
  #braces(): Formula {
    if (this.#depth >= DEEPEST) return symbol(this.#rawBraces());
    this.#depth++;
    const rows = this.#rows((token) => token === "}");
    this.#depth--;
    this.#next++;
    if (rows.length === 1 && rows[0]?.length === 1) return rows[0][0] as Formula;
    return { kind: "rows", open: "", close: "", align: "center", rows };
  }

  #argument(): Formula {
    this.#skipBlanks();
    const token = this.#tokens[this.#next++];
    return token === undefined ? symbol("") : this.#atom(token);
  }

  #skipBlanks(): void {
    while (/^\s/.test(this.#tokens[this.#next] ?? "")) this.#next++;
  }

  /** The argument as it was written; of nested braces only their content. */
  #rawArgument(): string {
    this.#skipBlanks();
    const token = this.#tokens[this.#next++];
    return token === "{" ? this.#rawBraces() : (token ?? "");
  }

  #rawBraces(): string {
    let text = "";
    for (let depth = 1; this.#next < this.#tokens.length; ) {
      const token = this.#tokens[this.#next++] as string;
      depth += token === "{" ? 1 : token === "}" ? -1 : 0;
      if (depth === 0) break;
      if (token !== "{" && token !== "}")
        text += /^\\[^a-zA-Z]$/.test(token) ? token.slice(1) : token.replace(/\s+/, " ");
    }
    return text;
  }

  #command(name: string): Formula {
    if (Object.hasOwn(SYMBOLS, name)) return symbol(SYMBOLS[name] as string);
    if (FUNCTIONS.has(name)) return symbol(name);
    if (TEXT.has(name)) return symbol(this.#rawArgument());
    if (PLAIN.has(name)) return this.#argument();
    if (IGNORED.test(name)) return symbol(this.#delimiterAfter(name));
    if (DROPPED.has(name)) return symbol(this.#rawArgument() && "");
    if (Object.hasOwn(ACCENTS, name)) return { kind: "accent", mark: ACCENTS[name] as string, body: this.#argument() };
    if (Object.hasOwn(ALPHABETS, name)) return letters(this.#argument(), name);
    return this.#structure(name);
  }

  /** `\right.` and `\middle.` stand for nothing; any other delimiter is an atom of its own. */
  #delimiterAfter(name: string): string {
    if (!/^(?:right|middle)$/.test(name)) return "";
    this.#skipBlanks();
    if (this.#tokens[this.#next] === ".") this.#next++;
    return "";
  }

  /** What stands between `\left` and `\right`, whose brackets are as tall as it is. */
  #fenced(): Formula {
    const delimiter = () => {
      const text = formulaSymbol(this.#argument());
      return text === "." ? "" : text;
    };
    if (this.#depth >= DEEPEST) return symbol("");
    const open = delimiter();
    this.#depth++;
    const rows = this.#rows((token) => token === "\\right");
    this.#depth--;
    const closed = this.#tokens[this.#next] === "\\right";
    if (closed) this.#next++;
    return { kind: "rows", open, close: closed ? delimiter() : "", align: "left", rows };
  }

  /** A command that is not known, as it was written, with what its braces hold. */
  #unknown(name: string): Formula {
    if (this.#tokens[this.#next] !== "{") return symbol(`\\${name}`);
    return group([symbol(`\\${name}{`), this.#argument(), symbol("}")]);
  }

  #structure(name: string): Formula {
    switch (name.replace(/^[dtc]frac$/, "frac").replace(/^[dt]binom$/, "binom")) {
      case "frac":
        return { kind: "fraction", over: this.#argument(), under: this.#argument() };
      case "binom":
        return { kind: "rows", open: "(", close: ")", align: "center", rows: [[this.#argument()], [this.#argument()]] };
      case "sqrt":
        return this.#root();
      case "overset":
      case "stackrel": {
        const above = this.#argument();
        return { kind: "script", base: this.#argument(), above };
      }
      case "underset": {
        const below = this.#argument();
        return { kind: "script", base: this.#argument(), below };
      }
      case "not":
        return negate(this.#argument());
      case "left":
        return this.#fenced();
      case "pmod":
        return group([symbol(" (mod "), this.#argument(), symbol(")")]);
      case "textcolor":
        return symbol(this.#rawArgument() && this.#rawArgument());
      case "begin":
        return this.#environment(this.#rawArgument());
      case "end":
        return symbol(this.#rawArgument() && "");
      default:
        return /^[a-zA-Z]/.test(name) ? this.#unknown(name) : symbol(name === "|" ? "‖" : name);
    }
  }

  #root(): Formula {
    this.#skipBlanks();
    if (this.#tokens[this.#next] !== "[") return { kind: "root", body: this.#argument() };
    this.#next++;
    const degree = group(this.#parts((token) => token === "]"));
    this.#next++;
    return { kind: "root", degree, body: this.#argument() };
  }

  #environment(name: string): Formula {
    if (this.#depth >= DEEPEST) return symbol(`\\begin{${name}}`);
    if (name === "array" || name === "tabular") this.#rawArgument();
    this.#depth++;
    const rows = this.#rows((token) => token === "\\end");
    this.#depth--;
    this.#next++;
    this.#rawArgument();
    const [open, close] = FENCES[name] ?? ["", ""];
    const align = name === "cases" ? "left" : /matrix|array/.test(name) ? "center" : "alternate";
    return { kind: "rows", open, close, align, rows };
  }
}

function symbol(text: string): Formula {
  return { kind: "symbol", text };
}

function group(parts: Formula[]): Formula {
  return parts.length === 1 ? (parts[0] as Formula) : { kind: "group", parts };
}

function formulaSymbol(formula: Formula): string {
  return formula.kind === "symbol" ? formula.text : "";
}

function negate(formula: Formula): Formula {
  if (formula.kind !== "symbol") return formula;
  return symbol(`${formula.text}\u0338`.normalize("NFC"));
}

function isEmpty(formula: Formula): boolean {
  return formula.kind === "group" && formula.parts.every(isEmpty);
}

/** Letters and digits of a mathematical alphabet. */
function letters(formula: Formula, alphabet: string): Formula {
  if (formula.kind === "group") return { kind: "group", parts: formula.parts.map((part) => letters(part, alphabet)) };
  if (formula.kind === "script") return { ...formula, base: letters(formula.base, alphabet) };
  if (formula.kind !== "symbol") return formula;
  const { upper, lower, digit, except } = ALPHABETS[alphabet]!;
  const change = (character: string) => {
    const code = character.charCodeAt(0);
    if (except !== undefined && Object.hasOwn(except, character)) return except[character] as string;
    if (/^[A-Z]$/.test(character)) return String.fromCodePoint(upper + code - 65);
    if (lower !== undefined && /^[a-z]$/.test(character)) return String.fromCodePoint(lower + code - 97);
    return digit !== undefined && /^\d$/.test(character) ? String.fromCodePoint(digit + code - 48) : character;
  };
  return symbol([...formula.text].map(change).join(""));
}
