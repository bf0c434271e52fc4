import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import type { PicturePainter } from "../render/picture/picture-painter.ts";
import type { RenderContext } from "../render/renderer.ts";
import type { Terminal } from "../render/terminal.ts";
import { createTheme } from "../render/theme.ts";
import type { Invocation } from "./command.ts";
import { KeptFiles } from "./kept-files.ts";

/** The place that a command draws for: its terminal, with pictures where it has them, and files for what it cannot show. */
export function createRenderContext(
  terminal: Terminal,
  painter: PicturePainter,
  invocation: Invocation,
): RenderContext {
  const files = new KeptFiles(new ArtifactStore(join(invocation.directories.state, "artifacts")));
  return {
    width: terminal.width,
    expanded: invocation.switches.has("expanded"),
    theme: createTheme(terminal),
    picture: (picture, width) => painter.lines(picture, width),
    keepFile: (file) => files.keep(file, invocation.cwd),
  };
}
