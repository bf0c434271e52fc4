import type { MimeBundle, MimeContext, MimeHandler, Output } from "./model.ts";

/** What a bundle comes to: its text for a model, if any, and the structured outputs beside it. */
export interface CapturedBundle {
  text?: string;
  /** The MIME type that the text was made from. */
  textMime?: string;
  outputs: Output[];
}

/** Hears of a handler that threw or answered in a wrong shape; it is not asked again. */
export type OnHandlerError = (handler: MimeHandler, error: unknown) => void;

/** The rank of a handler that says none: who teaches a type of its own means it to be read before plain text. */
const DEFAULT_RANK = 75;
/** What Python prints of an object that has no text of its own: it says less than any other representation. */
const PLACEHOLDER = /^<[\w.]+(?: object)?(?: at 0x[0-9A-Fa-f]+)?>$/;

/** The handler of `text/plain`, the one representation that every bundle should have. */
export const PLAIN_TEXT: MimeHandler = {
  mime: "text/plain",
  rank: 70,
  text: (data) => (typeof data === "string" ? data : undefined),
};

/**
 * The handlers of MIME types. A later handler of a type stands in for an earlier one, so a plugin can replace what is built
 * in; when it throws or answers in a wrong shape it is dropped and the earlier one is back.
 */
export class MimeRegistry {
  private readonly handlers = new Map<string, MimeHandler[]>();

  constructor(
    handlers: readonly MimeHandler[] = [],
    private readonly onError: OnHandlerError = () => undefined,
  ) {
    for (const handler of [PLAIN_TEXT, ...handlers]) {
      this.handlers.set(handler.mime, [...(this.handlers.get(handler.mime) ?? []), handler]);
    }
  }

  /** The MIME types that have a handler. */
  get mimeTypes(): string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Turns a bundle into text by the highest rank that gives some, and into structured outputs by every handler that makes
   * one. The text "" says that the bundle has none. Never throws.
   */
  capture(bundle: MimeBundle, metadata: Record<string, unknown> = {}): CapturedBundle {
    const known = Object.keys(bundle).filter((mime) => this.active(mime) !== undefined);
    const outputs = known.flatMap((mime) => {
      const output = this.ask(mime, bundle, metadata, askCapture);
      return output === undefined ? [] : [{ mimeType: mime, ...output }];
    });
    return { ...this.textOf(known, bundle, metadata), outputs };
  }

  private textOf(known: string[], bundle: MimeBundle, metadata: Record<string, unknown>) {
    let placeholder: { text: string; textMime: string } | undefined;
    for (const mime of known.toSorted((left, right) => this.rankOf(right) - this.rankOf(left))) {
      const text = this.ask(mime, bundle, metadata, askText);
      if (text === undefined) continue;
      if (mime !== "text/plain" || !PLACEHOLDER.test(text)) return { text, textMime: mime };
      placeholder = { text, textMime: mime };
    }
    return placeholder;
  }

  /** The handler's own rank, or that of the one which it stands in for. */
  private rankOf(mime: string): number {
    return this.handlers.get(mime)?.findLast((handler) => handler.rank !== undefined)?.rank ?? DEFAULT_RANK;
  }

  private active(mime: string): MimeHandler | undefined {
    return this.handlers.get(mime)?.at(-1);
  }

  private ask<Answer>(
    mime: string,
    bundle: MimeBundle,
    metadata: Record<string, unknown>,
    question: (handler: MimeHandler, data: unknown, context: MimeContext) => Answer | undefined,
  ): Answer | undefined {
    for (;;) {
      const handler = this.active(mime);
      if (handler === undefined) return undefined;
      try {
        return question(handler, joinLines(mime, bundle[mime]), { mime, bundle, metadata });
      } catch (error) {
        this.handlers.get(mime)?.pop();
        this.onError(handler, error);
      }
    }
  }
}

function askText(handler: MimeHandler, data: unknown, context: MimeContext): string | undefined {
  const text: unknown = handler.text?.(data, context);
  if (text === undefined || typeof text === "string") return text;
  throw new TypeError(`text() must return a string or undefined, not ${nameOf(text)}`);
}

function askCapture(handler: MimeHandler, data: unknown, context: MimeContext): Output | undefined {
  const output: unknown = handler.capture?.(data, context);
  if (output === undefined) return undefined;
  if (typeof output === "object" && output !== null && "type" in output && typeof output.type === "string") {
    return output as Output;
  }
  throw new TypeError(`capture() must return {type, data} or undefined, not ${nameOf(output)}`);
}

function nameOf(value: unknown): string {
  if (value instanceof Promise) return "a promise: handlers are synchronous";
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

/** A notebook file keeps text as a list of lines (nbformat 4, "multiline_string"); JSON types are lists as they are. */
function joinLines(mime: string, value: unknown): unknown {
  const isText = Array.isArray(value) && !/[/+]json$/.test(mime) && value.every((line) => typeof line === "string");
  return isText ? value.join("") : value;
}
