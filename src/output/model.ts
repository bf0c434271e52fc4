/** A block of a tool's result that a model reads, in MCP's form. `data` of an image is base64. */
export type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** A structured output beside the text of a cell: `json`, `image` (base64 `data`), `status`, or a plugin's own type. */
export interface Output {
  type: string;
  data: unknown;
  /** The MIME type that it was captured from. */
  mimeType?: string;
  /** A file that the output is kept as, because its text and data say only part of it. */
  file?: OutputFile;
}

/** A file that is kept as an artifact; `content` is text, or bytes as base64. */
export interface OutputFile {
  content: string;
  mimeType: string;
  base64?: boolean;
}

/** A Jupyter MIME bundle: one value, several representations (nbformat 4, "MIME bundle"). */
export type MimeBundle = Record<string, unknown>;

/** What a handler is told beside the value: the whole bundle and the message's metadata for it. */
export interface MimeContext {
  mime: string;
  bundle: MimeBundle;
  metadata: Record<string, unknown>;
}

/** Turns one MIME type of a bundle into a structured output and into text; either may decline with `undefined`. */
export interface MimeHandler {
  mime: string;
  /** Among several representations that give text the highest rank wins; built-in ones stand between 0 and 100. */
  rank?: number;
  capture?(data: unknown, context: MimeContext): Output | undefined;
  text?(data: unknown, context: MimeContext): string | undefined;
}
