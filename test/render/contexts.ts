import type { RenderContext } from "../../src/render/renderer.ts";
import { createTheme } from "../../src/render/theme.ts";

/** A terminal without colours, so that what is drawn can be read in a test. */
export function plainContext(width: number, expanded = false): RenderContext {
  return { width, expanded, theme: createTheme({ colors: "none" }) };
}

/** A terminal with all colours. */
export function colorContext(width: number, expanded = false): RenderContext {
  return { width, expanded, theme: createTheme({ colors: "truecolor" }) };
}
