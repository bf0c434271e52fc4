/**
 * The API of Nuthatch plugins: what a plugin file imports from "nuthatch/plugin". A plugin adds MIME types, draws outputs in
 * the terminal and hears what happens. `plugins/README.md` shows how to write one.
 */
import type { MimeBundle, MimeContext, Output } from "../output/model.ts";
import type { RenderContext } from "../render/renderer.ts";

export { htmlToMarkdown } from "../output/html-to-markdown.ts";
export type { MimeBundle, MimeContext, Output } from "../output/model.ts";
export { formatBytes } from "../output/truncation-notice.ts";
export { renderImage } from "../render/built-in-renderers.ts";
export { renderJsonTree } from "../render/json-tree.ts";
export { renderLatex } from "../render/latex.ts";
export { renderMarkdown } from "../render/markdown.ts";
export type { Picture, RenderContext } from "../render/renderer.ts";
export { renderStatus } from "../render/status.ts";
export { renderTable, type Table } from "../render/table.ts";
export { pad, truncate, wrapColumns, wrapWords } from "../render/text.ts";
export type { Role, Theme } from "../render/theme.ts";

/** A value that came as JSON and has the shape that its MIME type says; a plugin that trusts nobody looks before it reads. */
export type Json = ReturnType<typeof JSON.parse>;

/** A plugin: the default export of its file. Every part but the name may be absent. */
export interface Plugin {
  /** What it is called in lists and messages. */
  name: string;
  mime?: MimeHandler[];
  renderers?: OutputRenderer[];
  hooks?: Hooks;
}

/**
 * Turns one MIME type of what a cell displays into a structured output and into text for a model. Both functions are
 * synchronous, and either may decline with `undefined`. It replaces a built-in handler of the same MIME type.
 */
export interface MimeHandler {
  mime: string;
  /**
   * Of several representations that give text the highest rank is used. Built in: status 100, Markdown 90, charts 80, plain
   * text 70, table 65, LaTeX 60, HTML 50, JSON 40, SVG 30. Absent: that of the handler which it
   * replaces, else 75. The text "" says that the output has no text.
   */
  rank?: number;
  /** Is given strings as one string, and JSON types as parsed. */
  capture?(data: Json, context: MimeContext): Output | undefined;
  text?(data: Json, context: MimeContext): string | undefined;
}

/**
 * Draws outputs of one `type` as lines for a terminal that is `context.width` columns wide; `context.theme.style` gives
 * colours. Escape sequences other than colours are removed and wider lines are cut.
 */
export interface OutputRenderer {
  type: string;
  render(output: Output & { data: Json }, context: RenderContext): string[];
}

/** What belongs to a session of a kernel. `session` is its name, `cwd` its folder. */
export interface SessionEvent {
  session: string;
  cwd: string;
}

/** What belongs to one cell of a call; `index` counts from 0 within the call. */
export interface CellEvent extends SessionEvent {
  index: number;
  title: string | null;
  code: string;
}

/** What a cell puts out, before anything is made of it: text of a stream, a MIME bundle, or an exception. */
export type CellOutput =
  | { type: "stream"; name: string; text: string }
  | { type: "display"; bundle: MimeBundle; metadata: Record<string, unknown> }
  | { type: "error"; name: string; value: string; traceback: string[] };

/** What each hook is told. */
export interface HookEvents {
  sessionStart: SessionEvent & { kernel: string };
  sessionEnd: SessionEvent;
  cellStart: CellEvent;
  cellOutput: CellEvent & { output: CellOutput };
  cellEnd: CellEvent & { status: "complete" | "error"; durationMs: number };
  /** `content` is the whole new text of the notebook file at `path`. */
  notebookWrite: { path: string; content: string };
  toolCall: { tool: string; input: unknown; cwd: string };
  toolResult: { tool: string; input: unknown; cwd: string; isError: boolean; details: Json; durationMs: number };
}

/** The name of a hook. */
export type HookName = keyof HookEvents;

/**
 * How the hooks are called. `notify`: all plugins at once, waited for no longer than two seconds. `change`: one after the
 * other, at once, each is given what the one before it made. `veto`: one after the other, the first refusal counts.
 */
export const HOOK_KINDS = {
  sessionStart: "notify",
  sessionEnd: "notify",
  cellStart: "notify",
  cellOutput: "change",
  cellEnd: "notify",
  notebookWrite: "veto",
  toolCall: "notify",
  toolResult: "notify",
} as const satisfies Record<HookName, "notify" | "change" | "veto">;

/** A hook that only listens. */
export type NotifyHook = { [Name in HookName]: (typeof HOOK_KINDS)[Name] extends "notify" ? Name : never }[HookName];

/** The functions of a plugin's hooks. One that throws or hangs is not called again. */
export type Hooks = {
  [Name in NotifyHook]?: (event: HookEvents[Name]) => unknown;
} & {
  /** Returns another output to put in its place, null to drop it, or nothing to leave it. Synchronous. */
  cellOutput?: (event: HookEvents["cellOutput"]) => CellOutput | null | undefined;
  /** Returns false or the reason, to keep the notebook from being written. */
  notebookWrite?: (event: HookEvents["notebookWrite"]) => Refusal | Promise<Refusal>;
};

/** `false` or a reason refuses; anything else does not. */
export type Refusal = boolean | string | null | undefined;

/** Gives a plugin back as it is: for type checks and completion where `satisfies Plugin` cannot be written. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
