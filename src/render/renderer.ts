import type { Output, OutputFile } from "../output/model.ts";
import type { Theme } from "./theme.ts";

/** An encoded picture as it comes out of a cell; `data` is base64. */
export interface Picture {
  data: string;
  mimeType: string;
}

/** What a renderer is told about the place that it draws for. */
export interface RenderContext {
  /** Columns at hand; no line may be wider. From 20 to 400. */
  width: number;
  /** The person asked for everything, not for a preview. */
  expanded: boolean;
  theme: Theme;
  /**
   * Lines that show a picture within `width` columns of this terminal, or undefined where it cannot be shown or is still being
   * decoded (it is drawn again then). Only these lines may hold more than text and colours: pass them on as they are.
   */
  picture?(picture: Picture, width: number): string[] | undefined;
  /** The path of a file with this content, for what no artifact holds yet. */
  keepFile?(file: OutputFile): string | undefined;
  /** The file that holds an artifact, to be named beside what is shown of it. */
  artifactPath?(id: string): string | undefined;
  /** The picture that an artifact holds, for one whose bytes are not at hand. */
  artifactPicture?(id: string, mimeType: string): Picture | undefined;
}

/**
 * Draws outputs of one type as terminal lines. Lines hold no line break; escape sequences in them other than colours are
 * removed and what is wider than the context's width is cut.
 */
export interface Renderer<Data = unknown> {
  type: string;
  render(output: Output & { data: Data }, context: RenderContext): string[];
}

/** Something drawn again and again: asked with the same width and `expanded` it answers from its cache. */
export interface View {
  render(context: RenderContext): string[];
}
