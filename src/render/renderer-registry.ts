import { errorMessage } from "../errors.ts";
import type { Output } from "../output/model.ts";
import { BUILT_IN_RENDERERS } from "./built-in-renderers.ts";
import { cleanName, cleanText } from "./clean.ts";
import { firstLines } from "./excerpt.ts";
import { renderJsonTree } from "./json-tree.ts";
import { PREVIEW_LIMITS } from "./limits.ts";
import type { Picture, RenderContext, Renderer } from "./renderer.ts";
import { truncate } from "./text.ts";

/** Told of a renderer that threw; the output is shown as a JSON tree instead. */
export type RendererFailure = (type: string, error: unknown) => void;

/** The renderers by output type, those that are built in among them. A later one of the same type replaces an earlier one. */
export class RendererRegistry {
  readonly #renderers: ReadonlyMap<string, Renderer>;
  readonly #onFailure: RendererFailure;

  constructor(renderers: Iterable<Renderer> = [], onFailure: RendererFailure = () => undefined) {
    this.#renderers = new Map([...BUILT_IN_RENDERERS, ...renderers].map((renderer) => [renderer.type, renderer]));
    this.#onFailure = onFailure;
  }

  has(type: string): boolean {
    return this.#renderers.has(type);
  }

  /** Lines of an output, safe and no wider than the context, whatever its renderer returned. */
  render(output: Output, context: RenderContext): string[] {
    const renderer = this.#renderers.get(output.type);
    const pictures = new Set<string>();
    const picture = (wanted: Picture, width: number) => {
      const lines = context.picture?.(wanted, width);
      for (const line of lines ?? []) pictures.add(line);
      return lines;
    };
    try {
      const lines = renderer?.render(output, { ...context, picture }) ?? renderJsonTree(output.data, context);
      return guardLines(lines, pictures, context);
    } catch (error) {
      this.#onFailure(output.type, error);
      const failure = `The renderer of ${cleanName(output.type)} failed: ${cleanName(errorMessage(error))}`;
      return [
        truncate(context.theme.style("warning", failure), context.width),
        ...renderJsonTree(output.data, context),
      ];
    }
  }
}

/** Only lines that came from the terminal's own picture drawing may hold anything but text and colours. */
function guardLines(lines: unknown, pictures: ReadonlySet<string>, context: RenderContext): string[] {
  if (!Array.isArray(lines)) throw new TypeError("it returned no list of lines");
  const limit = context.expanded ? PREVIEW_LIMITS.EXPANDED_LINES : PREVIEW_LIMITS.NOTEBOOK_LINES * 2;
  const guarded = lines.slice(0, limit).flatMap((line) => {
    if (pictures.has(line)) return [line];
    return cleanText(String(line), context.theme.colors !== "none")
      .split("\n")
      .map((part) => truncate(part, context.width));
  });
  const hidden = Array<string>(Math.max(0, lines.length - limit)).fill("");
  return firstLines([...guarded, ...hidden], limit, context.theme, context.width);
}
